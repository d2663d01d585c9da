# syntax=docker/dockerfile:1

# The packages that run in production, and Prisma's client made from the schema. The image brings Node itself, so the install
# scripts of packages (the npm package `node` would fetch it a second time) are not run.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc prisma.config.ts ./
COPY prisma/schema.prisma prisma/
RUN npm ci --omit=dev --ignore-scripts && npx --no prisma generate

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN install -d -o node -g node /data
# Owned by root and read by `node`: the process cannot change its own program.
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/prisma/generated prisma/generated
COPY package.json ./
COPY prisma prisma
COPY src src
COPY jobs jobs
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/server.ts"]
