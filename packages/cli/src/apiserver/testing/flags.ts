import type { ApiServerFlags } from "../start.ts"

/** An API server in memory, on any free port. */
export const defaults: ApiServerFlags = {
  securePort: 0,
  bindAddress: "127.0.0.1",
  dataDir: "/data",
  ephemeral: true,
  serviceClusterIpRange: "10.0.0.0/24",
  eventTtl: 3_600_000,
}
