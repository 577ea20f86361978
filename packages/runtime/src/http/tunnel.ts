import type { buildConnector } from "undici"

type Undici = typeof import("undici")
type Connector = buildConnector.connector

/** It is the proxy that failed: nothing is known of the server behind it. */
export class ProxyFailure extends Error {
  constructor(host: string, said: string, options?: ErrorOptions) {
    super(`the proxy ${host} ${said}`, options)
  }
}

/** Connects through a proxy: asks it for a tunnel (CONNECT), and speaks TLS with the server inside of it. */
export function tunnel(undici: Undici, proxy: URL, inside: Connector, toProxy: buildConnector.BuildOptions): Connector {
  const headers = proxyAuthorization(proxy)
  return (options, callback) => {
    const target = `${options.hostname}:${options.port || "443"}`
    // The proxy's own connection is used up by the tunnel: one client for each.
    const client = new undici.Client(proxy.origin, { connect: toProxy, allowH2: false, headersTimeout: toProxy.timeout ?? undefined })
    client.connect({ path: target, headers: { host: target, ...headers } }).then(
      ({ statusCode, socket }) => {
        if (statusCode === 200) return inside({ ...options, httpSocket: socket as never }, callback)
        socket.destroy()
        const said = `answered ${statusCode} when asked for a tunnel to ${target}; check the proxy's address, and user and password in it`
        callback(new ProxyFailure(proxy.host, said), null)
      },
      (cause: unknown) => callback(new ProxyFailure(proxy.host, "could not be used; check its address", { cause }), null),
    )
  }
}

function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {}
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(plain).toString("base64")}` }
}
