import type { Duplex } from "node:stream"
import { methodNotAllowed, StatusError } from "@pilothouse/api"
import { type Container, type Pod, pods } from "@pilothouse/api/core/v1"
import {
  type Clock,
  noBody,
  PilothouseError,
  type Query,
  queryValue,
  type TransportRequest,
  type TransportResponse,
  type Upgrade,
} from "@pilothouse/seams"
import { isProcess } from "../kubelet/container/process-facts.ts"
import type { PodDialer } from "../kubelet/pod/pod-dialer.ts"
import type { ProcessRun } from "../process/process-run.ts"
import type { Processes } from "../process/processes.ts"
import type { CommandClient, WantedStreams } from "./session/command-client.ts"
import { type ForwardedPod } from "./session/port-forward.ts"
import { Refusal, refusal } from "./session/refusal.ts"
import { type Session, Sessions } from "./session/sessions.ts"
import { acceptSpdy, cannotNegotiate, negotiated } from "./spdy/protocol.ts"
import { acceptWebSocket, chosenProtocol, isWebSocketRequest, requestedProtocols } from "./websocket/accept.ts"
import { commandProtocols, webSocketClient } from "./websocket/command-channels.ts"
import { portProtocols, requestedPorts, servePortChannels } from "./websocket/port-channels.ts"

/** Protocols of exec and attach over SPDY, in upstream's order: 2 closes standard input, 3 resizes, 4 sends a Status. */
const spdyCommandProtocols = ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"] as const

/** SPDY in the binary messages of a WebSocket, as kubectl speaks it since 1.31. */
const tunnel = "SPDY/3.1+portforward.k8s.io"

export interface StreamingOptions {
  readonly clock: Clock
  /** Where commands run; only where there are processes. */
  readonly processes?: Processes
  /** How ports of pods are reached; without it none is. */
  readonly dialer?: PodDialer
}

/** A request for a stream of a container. */
interface StreamRequest {
  readonly pod: Pod
  readonly container: string
  readonly request: TransportRequest
}

/** What kubelets do over connections that are taken over: exec, attach and port-forward. */
export class StreamingServer {
  readonly #options: StreamingOptions
  readonly #sessions: Sessions

  constructor(options: StreamingOptions) {
    this.#options = options
    this.#sessions = new Sessions(options.clock)
  }

  /** Runs a command in a container. */
  exec({ pod, container, request }: StreamRequest): Promise<TransportResponse> {
    const { command = [] } = request.query
    const argv = [command].flat()
    return this.#command({ pod, container, request }, "run a command in", async (client, run, processes) => {
      const { serveExec } = await import("./exec.ts")
      const { stdin, tty } = wantedStreams(request.query)
      await serveExec(client, { argv, start: () => processes.exec(run, argv, { stdin, tty }) })
    })
  }

  /** Attaches a client to the main process of a container. */
  attach({ pod, container, request }: StreamRequest): Promise<TransportResponse> {
    return this.#command({ pod, container, request }, "attach to", async (client, run) => {
      const { serveAttach } = await import("./attach.ts")
      await serveAttach(client, { run, stdinOnce: containerIn(pod, container)?.stdinOnce ?? false })
    })
  }

  /** Forwards ports of a pod. */
  portForward({ pod, request }: Omit<StreamRequest, "container">): Promise<TransportResponse> {
    return answered(async () => {
      const { clock, dialer } = this.#options
      if (dialer === undefined) throw refusal(501, "ports of pods cannot be forwarded: this kubelet has no way to its pods")
      const accept = portClient(request, clock)
      return this.#session(upgradeOf(request), async (connection, session) => {
        session.idle.addEventListener("abort", () => connection.destroy(), { once: true })
        await accept(connection, session, forwarded(pod, dialer))
      })
    })
  }

  #command(
    { pod, container, request }: StreamRequest,
    what: string,
    serve: (client: CommandClient, run: ProcessRun, processes: Processes) => Promise<void>,
  ): Promise<TransportResponse> {
    return answered(async () => {
      const wanted = wantedStreams(request.query)
      const { processes, clock } = this.#options
      const run = processes?.running(pod, container)
      if (run === undefined || processes === undefined) throw notRunning(pod, container, what)
      const accept = commandClient(request, wanted, clock)
      return this.#session(upgradeOf(request), async (connection, session) => {
        const client = await accept(connection, session)
        session.idle.addEventListener("abort", () => void client.finish({ message: "the stream was idle for four hours" }), { once: true })
        await serve(client, run, processes)
      })
    })
  }

  /** The stream goes on after its response, which only says that the connection was taken. */
  #session(upgrade: Upgrade, serve: (connection: Duplex, session: Session) => Promise<void>): TransportResponse {
    const session = this.#sessions.begin()
    const connection = upgrade.take() as Duplex
    // What breaks a stream ends its connection, which is all that its client can notice.
    void serve(connection, session)
      .catch(() => connection.destroy())
      .finally(() => session[Symbol.dispose]())
    return { status: 101, headers: {}, body: noBody }
  }
}

/** A process has its pod's address, and nothing else of this host is reached; a simulated pod answers as to a load balancer. */
function forwarded({ metadata: { name, namespace, uid }, status }: Pod, dialer: PodDialer): ForwardedPod {
  return {
    name: `${name}_${namespace}, uid ${uid}`,
    async dial(port, signal) {
      const address = status?.podIP ?? ""
      if (address === "") throw new PilothouseError("CONNECTION_LOST", "the pod has no address yet")
      return dialer.dial(address, port, signal)
    },
  }
}

async function answered(answer: () => Promise<TransportResponse>): Promise<TransportResponse> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof Refusal) return error.response
    throw error
  }
}

function containerIn({ spec }: Pod, named: string): Container | undefined {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {}
  return [...containers, ...initContainers, ...(ephemeralContainers as readonly Container[])].find(({ name }) => name === named)
}

/** In a kubelet's words, but for a container that has nothing running in it. */
function notRunning(pod: Pod, container: string, what: string): Error {
  const found = containerIn(pod, container)
  if (found === undefined || isProcess(found)) return refusal(500, `container not found (${JSON.stringify(container)})`)
  const advice = 'containers with the image "process" on a cluster of `pilothouse up --exec` have one'
  const message = `cannot ${what} container ${JSON.stringify(container)}: it is simulated and has no process; ${advice}`
  return new StatusError({ ...methodNotAllowed(pods, "create").status, message })
}

/** What a client of exec or attach has asked for, in a kubelet's parameters. Throws the refusal of one that requests no stream. */
function wantedStreams(query: Query): WantedStreams {
  const has = (name: string) => queryValue(query, name) === "1"
  const tty = has("tty")
  const wanted = { stdin: has("input"), stdout: has("output"), stderr: has("error") && !tty, tty }
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr) throw refusal(400, "you must specify at least 1 of stdin, stdout, stderr")
  return wanted
}

/** The connection of a request, or the refusal of one that cannot be taken over. */
function upgradeOf({ upgrade }: TransportRequest): Upgrade {
  if (upgrade !== undefined) return upgrade
  throw refusal(400, "unable to upgrade: missing upgrade headers in request")
}

/** Speaks the protocol of a client on its connection. */
type AcceptClient = (connection: Duplex, session: Session) => Promise<CommandClient>

/** Returns how a client of exec or attach is accepted. Throws a refusal for a protocol that is not known. */
function commandClient({ headers }: TransportRequest, wanted: WantedStreams, clock: Clock): AcceptClient {
  if (isWebSocketRequest(headers)) {
    const protocol = chosenProtocol(headers, commandProtocols)
    if (protocol === undefined) throw cannotNegotiate(requestedProtocols(headers), [...commandProtocols])
    return (connection, session) => webSocketClient({ headers, connection, session }, protocol, wanted)
  }
  const protocol = negotiated(headers, spdyCommandProtocols)
  return async (connection, session) => {
    const { spdyClient } = await import("./spdy/command-streams.ts")
    return spdyClient({ connection, clock, session }, protocol, wanted)
  }
}

/** Forwards ports of a pod on a connection, until it is over. */
type AcceptPortClient = (connection: Duplex, session: Session, pod: ForwardedPod) => Promise<void>

/** Returns how a client of port-forward is served. Throws a refusal for a protocol that is not known, or ports that are none. */
function portClient(request: TransportRequest, clock: Clock): AcceptPortClient {
  const { headers } = request
  if (!isWebSocketRequest(headers)) {
    const protocol = negotiated(headers, ["portforward.k8s.io"])
    return async (connection, session, pod) => {
      acceptSpdy(connection, protocol)
      const { servePortStreams } = await import("./spdy/port-streams.ts")
      await servePortStreams({ connection, clock, session, pod })
    }
  }
  const known = new Set([tunnel, ...portProtocols])
  const protocol = chosenProtocol(headers, known)
  if (protocol === undefined) throw cannotNegotiate(requestedProtocols(headers), [...known])
  if (protocol !== tunnel) {
    const ports = requestedPorts(request.query)
    return (connection, session, pod) => servePortChannels({ headers, connection, session, ports, pod }, protocol)
  }
  return async (connection, session, pod) => {
    const { SocketDuplex } = await import("./websocket/socket-duplex.ts")
    const { servePortStreams } = await import("./spdy/port-streams.ts")
    const tunnelled = new SocketDuplex(await acceptWebSocket(headers, connection, protocol))
    await servePortStreams({ connection: tunnelled, clock, session, pod })
  }
}
