-- One handler writes all mails of an event. Of the two deliveries of an event the pending one stays; what it repeats changes nothing.
DELETE FROM outbox_deliveries d USING outbox_deliveries other
WHERE other.event_id = d.event_id AND d.handler = 'create-issue-mails' AND other.handler = 'match-watch-areas' AND d.delivered_at IS NOT NULL;
DELETE FROM outbox_deliveries d USING outbox_deliveries other
WHERE other.event_id = d.event_id AND d.handler = 'match-watch-areas' AND other.handler = 'create-issue-mails';
UPDATE outbox_deliveries d SET handler = 'notify' WHERE d.handler IN ('create-issue-mails', 'match-watch-areas', 'create-question-mails');
