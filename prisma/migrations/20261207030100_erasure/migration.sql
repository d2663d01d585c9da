-- Links by mail that erase an account and that download a copy of its data.
ALTER TYPE token_purpose ADD VALUE 'erase_account';
ALTER TYPE token_purpose ADD VALUE 'download_export';
