import type { Socket } from "node:net"
import type { SocketModules, Target } from "./dial.ts"

/** The proxy failed: nothing is known of the server behind it. */
export class ProxyFailure extends Error {
  constructor(host: string, said: string, options?: ErrorOptions) {
    super(`the proxy ${host} ${said}`, options)
  }
}

/** Requests a tunnel from an HTTP proxy (CONNECT). The proxy's connection becomes the tunnel. */
export function httpTunnel(http: SocketModules["http"], socket: Socket, proxy: URL, { host, port }: Target): Promise<Socket> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`
  const headers = { host: target, ...proxyAuthorization(proxy) }
  return new Promise((resolve, reject) => {
    const request = http.request({ method: "CONNECT", path: target, headers, createConnection: () => socket })
    request.once("error", reject)
    request.once("connect", ({ statusCode }, tunnel: Socket, head) => {
      if (statusCode === 200) {
        if (head.length > 0) tunnel.unshift(head)
        return resolve(tunnel)
      }
      tunnel.destroy()
      const said = `answered ${statusCode} when asked for a tunnel to ${target}; check the proxy's address, and user and password in it`
      reject(new ProxyFailure(proxy.host, said))
    })
    request.end()
  })
}

/** The header that identifies the client to the proxy, where the proxy's address has a user. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {}
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(plain).toString("base64")}` }
}
