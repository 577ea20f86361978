import type { Protocol } from "../../model/protocol.ts"

const byName: ReadonlyMap<string, Protocol> = new Map([
  ["tcp", "TCP"],
  ["udp", "UDP"],
  ["http", "HTTP"],
  ["http_proxy", "HTTP"],
  ["http2", "HTTP2"],
  ["https", "HTTPS"],
  ["grpc", "GRPC"],
  ["tls", "TLS"],
  ["mongo", "Mongo"],
  ["mysql", "MySQL"],
  ["redis", "Redis"],
])

const byAppProtocol: ReadonlyMap<string, Protocol> = new Map([
  ["kubernetes.io/h2c", "HTTP2"],
  ["kubernetes.io/ws", "HTTP"],
  ["kubernetes.io/wss", "HTTPS"],
])

/** SMTP, DNS, MySQL, MongoDB: there the server speaks first, and looking for the client's first bytes would wait for ever. */
const serverSpeaksFirst: ReadonlySet<number> = new Set([25, 53, 3306, 27_017])

interface NamedPort {
  readonly port: number
  readonly name?: string
  readonly protocol?: string
  readonly appProtocol?: string
}

/** The transport, then appProtocol, then the port's name up to its first dash. */
export function protocolOf(
  { port, name = "", protocol, appProtocol }: NamedPort,
  unnamed: "unsupported" | "TCP" = "unsupported",
): Protocol {
  if (protocol === "UDP") return "UDP"
  const said = (appProtocol ?? name).toLowerCase()
  const known = byAppProtocol.get(said) ?? nameProtocol(said)
  if (known !== undefined) return known
  return unnamed === "TCP" || serverSpeaksFirst.has(port) ? "TCP" : "unsupported"
}

function nameProtocol(name: string): Protocol | undefined {
  if (name.startsWith("grpc-web")) return "GRPC-Web"
  const [first = ""] = name.split("-", 1)
  return byName.get(first)
}

/** Reports whether the protocol is routed by HTTP. */
export function isHttp(protocol: Protocol): boolean {
  return protocol === "HTTP" || protocol === "HTTP2" || protocol === "GRPC" || protocol === "GRPC-Web"
}
