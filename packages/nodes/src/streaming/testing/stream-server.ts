import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type HeaderMap, type Query, type TransportResponse, type VirtualClock } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import type { PodDialer } from "../../kubelet/pod/pod-dialer.ts"
import { Processes } from "../../process/processes.ts"
import type { SpawnStreams } from "../../process/system/spawn.ts"
import { systemProbe } from "../../process/system/system-probe.ts"
import { systemSpawner } from "../../process/system/system-spawn.ts"
import { systemStreams } from "../../process/system/system-streams.ts"
import { StreamingServer } from "../streaming-server.ts"

export interface ServedPod extends AsyncDisposable {
  /** "127.0.0.1:40123" */
  readonly address: string
  readonly processes: Processes
  readonly pod: Pod
}

export interface ServedPodOptions {
  readonly clock?: VirtualClock
  readonly dialer?: PodDialer
  /** Starts the commands; by default as processes of this host. */
  readonly stream?: SpawnStreams
}

/** Starts the containers of a pod as processes of this host, and serves their streams at "/exec/<container>", "/attach/<container>" and "/portForward". */
export async function servePod(
  containers: readonly Partial<Container>[],
  { clock, dialer, stream = systemStreams() }: ServedPodOptions = {},
): Promise<ServedPod> {
  const seams = { clock: systemClock, client: () => ({}) as Client, spawn: systemSpawner(), stream, probe: systemProbe }
  const processes = new Processes(seams)
  const all = containers.map((one, index): Container => ({ name: index === 0 ? "main" : `other-${index}`, image: "process", ...one }))
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "4711" },
    spec: { nodeName: "node-1", containers: all },
    status: { podIP: "127.116.1.1" },
  }
  for (const { name, image } of all) if (image === "process") await processes.start({ do: "start-process", pod, container: name, run: 0 })
  const streaming = new StreamingServer({ clock: clock ?? systemClock, processes, ...(dialer && { dialer }) })
  const answer = (request: IncomingMessage, upgrade?: { take(): Duplex }): Promise<TransportResponse> => {
    const url = new URL(request.url ?? "", "http://node")
    const query: Query = Object.fromEntries([...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]))
    const asked = { verb: "GET", path: url.pathname, query, headers: request.headers as HeaderMap, ...(upgrade && { upgrade }) } as const
    const [, what = "", container = ""] = url.pathname.split("/")
    if (what === "portForward") return streaming.portForward({ pod, request: asked })
    return streaming[what as "exec" | "attach"]({ pod, container, request: asked })
  }
  const server = createServer()
  server.on("upgrade", (request, socket) => {
    let isTaken = false
    const take = () => {
      isTaken = true
      return socket
    }
    void answer(request, { take }).then(({ status, body }) => {
      if (!isTaken)
        socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\n\r\n${body.type === "bytes" ? Buffer.from(body.bytes) : ""}`)
    })
    socket.on("error", () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    processes,
    pod,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await processes[Symbol.asyncDispose]()
    },
  }
}
