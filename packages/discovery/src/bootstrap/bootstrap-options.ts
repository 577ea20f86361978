/** What a client has to know to find the server. */
export interface BootstrapOptions {
  /** An address without brackets, or a name. */
  readonly host: string
  readonly port: number
  /** "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local"; any text will do. */
  readonly nodeId: string
  readonly namespace: string
  readonly region?: string
  readonly zone?: string
  readonly subZone?: string
  /** The network that the client is in, where several are joined by gateways. */
  readonly network?: string
  /** Where the client has the PEM of the server's authority: without it the connection is plain, and nothing below counts. */
  readonly authorityFile?: string
  /** Where it has its own certificate and key (PEM), for a server that requires one … */
  readonly certificateFile?: string
  readonly keyFile?: string
  /** … or its service-account token, or both. */
  readonly tokenFile?: string
}

/** "[::1]:15010" */
export function serverAddress({ host, port }: BootstrapOptions): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** Returns the locality of the client; grpc-js refuses a node without region and zone. */
export function nodeLocality({ region = "", zone = "", subZone = "" }: BootstrapOptions): object {
  return { region, zone, ...(subZone !== "" && { sub_zone: subZone }) }
}

/** Returns the node metadata of every kind of client. */
export function nodeMetadata({ namespace, network }: BootstrapOptions): object {
  return { NAMESPACE: namespace, ...(network !== undefined && { NETWORK: network }) }
}
