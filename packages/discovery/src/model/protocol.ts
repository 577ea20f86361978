/** What a port speaks. "unsupported": not specified, so a proxy may look at the first bytes. */
export type Protocol =
  | "HTTP"
  | "HTTP2"
  | "HTTPS"
  | "GRPC"
  | "GRPC-Web"
  | "TCP"
  | "TLS"
  | "UDP"
  | "Mongo"
  | "MySQL"
  | "Redis"
  | "unsupported"
