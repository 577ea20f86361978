/** What a pod of the traffic suite listens on; its Service has the same. */
export const ports = { http: 8080, tcp: 9000, grpc: 9090 } as const
