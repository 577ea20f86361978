import { type Duplex, duplexPair } from "node:stream"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import type { Client } from "@pilothouse/runtime"
import { abortable, PilothouseError, throwIfAborted } from "@pilothouse/seams"
import { isSimulated } from "../node/simulated-node.ts"
import { type ProcessPodsOptions, requireProcessPod } from "./process-address.ts"

const requestLine = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE) (\S+) HTTP\/1\.([01])\r\n/
const methods = ["GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "TRACE "]
const nothing = new Uint8Array()

/** How a load balancer reaches pods. */
export interface PodDialer {
  dial(address: string, port: number, signal: AbortSignal): Promise<Duplex>
  open(address: string, port: number, listener: DatagramListener): { send(message: Uint8Array): void; close(): void }
}

interface DatagramListener {
  receive(message: Uint8Array): void
  refused(): void
}

/** Where simulated pods are found, and how others are reached. */
export interface SimulatedPodDialerOptions {
  readonly client: () => Client
  /** Reaches pods that really listen: those whose address is one of this host. */
  readonly real?: PodDialer
  /** Connections to addresses of this host go to these only. Left out: to all of them, as of a load balancer, whose endpoints are checked when they are written. */
  readonly processes?: ProcessPodsOptions["processes"]
}

/**
 * Simulated pods have no address that could be dialled: they answer in this process, on every port, as long as they run.
 * HTTP is answered with the pod's name, anything else is sent back.
 */
export function simulatedPodDialer({ client, real, processes }: SimulatedPodDialerOptions): PodDialer {
  const running = async (address: string, port: number, signal: AbortSignal): Promise<Pod> => {
    throwIfAborted(signal)
    const api = client()
    const { items } = await abortable(api.list(pods, { fieldSelector: `status.podIP=${address}`, signal }), signal)
    const alive = items.filter(({ status }) => status?.phase === "Running")
    // Several pods of a node's own network share its address.
    const pod = alive.find((one) => declares(one, port)) ?? alive[0]
    if (pod === undefined)
      throw new PilothouseError("CONNECTION_LOST", `nothing listens at ${address}:${port}: no running pod has that address`)
    const node = await abortable(api.get(nodes, pod.spec?.nodeName ?? "", { signal }), signal)
    if (!isSimulated(node))
      throw new PilothouseError(
        "CONNECTION_LOST",
        `cannot reach ${address}:${port}: node ${node.metadata.name} is not simulated, and this process has no way into its pod network`,
      )
    return pod
  }
  return {
    async dial(address, port, signal) {
      if (real !== undefined && isLoopbackIp(address)) {
        if (processes !== undefined) await requireProcessPod({ client, processes }, { address, port }, signal)
        return real.dial(address, port, signal)
      }
      const pod = await running(address, port, signal)
      const [ours, theirs] = duplexPair({ allowHalfOpen: true })
      serve(ours, pod)
      return theirs
    },
    open(address, port, listener) {
      if (real !== undefined && isLoopbackIp(address)) return real.open(address, port, listener)
      return simulatedFlow((signal) => running(address, port, signal), listener)
    },
  }
}

/** Asks once who listens: the flow ends when its pod is not ready any more. */
function simulatedFlow(find: (signal: AbortSignal) => Promise<Pod>, { receive, refused }: DatagramListener): ReturnType<PodDialer["open"]> {
  const closed = new AbortController()
  let found: Promise<Pod> | undefined
  return {
    send: (message) => {
      found ??= find(closed.signal)
      found.then(
        () => {
          if (!closed.signal.aborted) receive(message)
        },
        () => {
          // A datagram to an unknown address is lost, as datagrams are. The next may find a pod.
          found = undefined
          if (!closed.signal.aborted) refused()
        },
      )
    },
    close: () => closed.abort(),
  }
}

function declares({ spec }: Pod, port: number): boolean {
  return spec?.containers.some(({ ports }) => ports?.some(({ containerPort }) => containerPort === port)) ?? false
}

function serve(connection: Duplex, pod: Pod): void {
  const answers = answering(pod)
  // A client that goes away in the middle is no fault of the pod.
  connection.on("error", () => connection.destroy())
  connection.on("data", (bytes: Buffer) => {
    const { send, end } = answers.take(bytes)
    if (send.length > 0 && !connection.write(send)) {
      connection.pause()
      connection.once("drain", () => connection.resume())
    }
    if (end) connection.end()
  })
  connection.on("end", () => connection.end())
}

/** What a simulated pod does with the bytes of one connection: HTTP is answered with who it is, everything else comes back as it was. */
interface Answering {
  /** The bytes to send back, and whether the connection ends after them. */
  take(bytes: Uint8Array): { readonly send: Uint8Array; readonly end: boolean }
}

/** Returns how the simulated pod answers requests. */
export function answering(pod: Pod): Answering {
  let waiting: Buffer = Buffer.alloc(0)
  let speaks: "http" | "echo" | undefined
  return {
    take(bytes) {
      if (speaks === "echo") return { send: bytes, end: false }
      waiting = Buffer.concat([waiting, bytes])
      speaks ??= protocolOf(waiting)
      if (speaks === undefined) return { send: nothing, end: false }
      if (speaks === "echo") return { send: waiting, end: false }
      const { answers, rest, end } = answerAll(waiting, pod)
      waiting = rest
      return { send: Buffer.concat(answers), end }
    },
  }
}

/** Undefined: too few bytes to tell. */
function protocolOf(bytes: Buffer): "http" | "echo" | undefined {
  const head = bytes.subarray(0, 8).toString("latin1")
  if (methods.some((method) => head.startsWith(method))) return "http"
  return methods.some((method) => method.startsWith(head)) ? undefined : "echo"
}

interface Answers {
  readonly answers: readonly Buffer[]
  readonly rest: Buffer
  readonly end: boolean
}

/** As many requests as are complete: clients may send the next before the first is answered. */
function answerAll(bytes: Buffer, pod: Pod): Answers {
  const answers: Buffer[] = []
  let rest = bytes
  for (;;) {
    const request = requestIn(rest)
    if (request === undefined) return { answers, rest, end: false }
    answers.push(answerTo(request, pod))
    rest = rest.subarray(request.length)
    if (request.end) return { answers, rest, end: true }
  }
}

interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Bytes of the request with its body. */
  readonly length: number
  /** Whether it is the last of its connection. */
  readonly end: boolean
}

function requestIn(bytes: Buffer): HttpRequest | undefined {
  const blank = bytes.indexOf("\r\n\r\n")
  if (blank < 0) return undefined
  const head = bytes.subarray(0, blank + 4).toString("latin1")
  const [, method, path, minor] = requestLine.exec(head) ?? []
  const lines = head.split("\r\n")
  const header = (name: string) =>
    lines.find((line) => line.slice(0, name.length + 1).toLowerCase() === `${name}:`)?.slice(name.length + 1) ?? ""
  // A chunked request is answered at once, and not again.
  const chunked = /chunked/i.test(header("transfer-encoding"))
  const length = head.length + (Number(header("content-length")) || 0)
  if (method === undefined || path === undefined) return { method: "", path: "", length: bytes.length, end: true }
  if (bytes.length < length && !chunked) return undefined
  const end = chunked || /close/i.test(header("connection")) || (minor === "0" && !/keep-alive/i.test(header("connection")))
  return { method, path, length: Math.min(length, bytes.length), end }
}

function answerTo({ method, path, end }: HttpRequest, { metadata, spec }: Pod): Buffer {
  const good = method !== ""
  const who = `pod ${metadata.name}\nnamespace ${metadata.namespace}\nnode ${spec?.nodeName}\npath ${path}\n`
  const body = good ? who : "expected an HTTP request\n"
  const head = [
    `HTTP/1.1 ${good ? "200 OK" : "400 Bad Request"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${end ? "close" : "keep-alive"}`,
  ]
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${method === "HEAD" ? "" : body}`)
}
