/** Returns options of ioredis: with Sentinels the host of the address is the name of the primary, and they use TLS if the address does. */
export const sentinelOptions = (redisUrl: string, sentinels: readonly string[]) =>
  sentinels.length === 0
    ? {}
    : {
        name: new URL(redisUrl).hostname,
        sentinels: sentinels.map((one) => ({ host: one.split(':')[0] ?? '', port: Number(one.split(':')[1]) })),
        ...(redisUrl.startsWith('rediss:') ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
      }
