import type { Socket } from "node:net"
import { parseIp } from "@pilothouse/api/net"
import type { Target } from "./dial.ts"
import { ProxyFailure } from "./tunnel.ts"

const version = 5
const methods = { none: 0, password: 2 }
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 }

/** Requests a tunnel from a SOCKS5 proxy (RFC 1928), with user and password where its address has them (RFC 1929). Names are resolved by the proxy. */
export async function socksTunnel(socket: Socket, proxy: URL, target: Target): Promise<Socket> {
  const failed = (said: string) => new ProxyFailure(proxy.host, said)
  const method = proxy.username === "" ? methods.none : methods.password
  socket.write(Buffer.from([version, 1, method]))
  const [answered, chosen] = await read(socket, 2)
  if (answered !== version) throw failed("does not speak SOCKS5; check its address")
  if (chosen !== method)
    throw failed(method === methods.none ? "requires a user and password; add them to its address" : "takes no user and password")
  if (method === methods.password) await authenticate(socket, proxy)
  socket.write(Buffer.concat([Buffer.from([version, 1, 0]), addressBytes(target.host), portBytes(target.port)]))
  const [, status, , type] = await read(socket, 4)
  if (status !== 0)
    throw failed(`answered ${status} when asked for a tunnel to ${target.host}:${target.port}; check that it may connect there`)
  await read(socket, (await boundLength(socket, type)) + 2)
  return socket
}

async function authenticate(socket: Socket, proxy: URL): Promise<void> {
  const field = (text: string) => {
    const bytes = Buffer.from(decodeURIComponent(text))
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  }
  socket.write(Buffer.concat([Buffer.from([1]), field(proxy.username), field(proxy.password)]))
  const [, status] = await read(socket, 2)
  if (status !== 0) throw new ProxyFailure(proxy.host, "refused the user and password in its address; correct them")
}

function addressBytes(host: string): Buffer {
  const ip = parseIp(host)
  if (ip === undefined) return Buffer.concat([Buffer.from([addressTypes.name, host.length]), Buffer.from(host)])
  const [type, digits] = ip.family === 4 ? [addressTypes.ipv4, 8] : [addressTypes.ipv6, 32]
  return Buffer.concat([Buffer.from([type]), Buffer.from(ip.value.toString(16).padStart(digits, "0"), "hex")])
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 0xff])
}

/** The address that the proxy connects from, which says nothing to a client. */
async function boundLength(socket: Socket, type: number | undefined): Promise<number> {
  if (type === addressTypes.name) return (await read(socket, 1))[0]!
  return type === addressTypes.ipv6 ? 16 : 4
}

/** Exactly so many bytes: what follows stays in the socket for TLS or HTTP. */
function read(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => {
      socket.off("readable", take).off("close", closed)
      settle()
    }
    const take = () => {
      const bytes: Buffer | null = socket.read(length)
      if (bytes !== null) done(() => resolve(bytes))
    }
    const closed = () => done(() => reject(new Error("the connection was closed by the proxy")))
    socket.on("readable", take)
    socket.once("close", closed)
    if (socket.destroyed) closed()
    else take()
  })
}
