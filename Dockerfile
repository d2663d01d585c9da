# syntax=docker/dockerfile:1

# No package runs an install script. The image brings the Node of the lockfile's version, so the lockfile's own is removed.

# Prisma's client, made from the schema. Prisma itself is a development dependency.
FROM node:26.10.0-bookworm-slim AS client
WORKDIR /app
COPY package.json package-lock.json .npmrc prisma.config.ts ./
COPY prisma/schema.prisma prisma/
RUN npm ci --ignore-scripts && npx --no prisma generate

# The packages that run in production. Prisma is an optional peer of its client, which npm would install. Source maps, declarations, the query
# compilers of other databases and the finest maps are never read.
FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --legacy-peer-deps --ignore-scripts
WORKDIR /app/node_modules
RUN rm -r .bin/node node-linux-* world-atlas/*-10m.json us-atlas/counties-* \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && find @prisma/client/runtime -name 'query_compiler_*' ! -name 'query_compiler_small_bg.postgresql.*' -delete

FROM node:26.10.0-bookworm-slim
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title=Fixpoint org.opencontainers.image.description="A geospatial-first service for civic issues" \
  org.opencontainers.image.licenses=Apache-2.0 org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN install -d -o node -g node /data
# Root owns the program and `node` only reads it: the process cannot change it.
COPY --from=packages /app/node_modules node_modules
COPY --from=client /app/prisma/generated prisma/generated
COPY package.json LICENSE THIRD_PARTY.md ./
COPY prisma prisma
COPY src src
COPY jobs jobs
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/server.ts"]
