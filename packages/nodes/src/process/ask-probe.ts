import type { Container, Probe } from "@pilothouse/api/core/v1"
import { onAbort, PilothouseError, throwIfAborted } from "@pilothouse/seams"
import type { ProbeHost, ProcessCall, SpawnProcess } from "./system/spawn.ts"

/** What one probe of a process needs. */
export interface AskProbeOptions {
  readonly container: Container
  readonly address: string
  readonly call: ProcessCall
  readonly host: ProbeHost
  readonly spawn: SpawnProcess
}

/** Asks a process what its probe wants to know, on its own address; rejects with why not. */
export async function askProbe(
  probe: Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc">,
  { container, address, call, host, spawn }: AskProbeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { httpGet, tcpSocket, grpc, exec } = probe
  // With the rights of its container, whose main process goes on when the command has ended.
  if (exec !== undefined)
    return runProbe({ ...call, argv: exec.command ?? [], endsCarriersOf: undefined, stdin: false, tty: false }, spawn, signal)
  if (httpGet !== undefined) {
    const { scheme = "HTTP", path = "/", port } = httpGet
    const url = `${scheme.toLowerCase()}://${httpGet.host ?? address}:${portOf(container, port)}${path.startsWith("/") ? path : `/${path}`}`
    const headers = Object.fromEntries((httpGet.httpHeaders ?? []).map(({ name, value }) => [name, value]))
    return host.http(url, { "user-agent": "kube-probe/1.36", ...headers }, signal)
  }
  // A gRPC server listens at least.
  const port = tcpSocket?.port ?? grpc?.port
  if (port !== undefined) return host.tcp(tcpSocket?.host ?? address, portOf(container, port), signal)
}

function portOf({ ports = [] }: Container, port: number | string): number {
  const named = ports.find(({ name }) => name === port)?.containerPort
  const number = named ?? Number(port)
  if (Number.isInteger(number)) return number
  throw new PilothouseError("INVALID", `expected a port of the container, found ${JSON.stringify(port)}`)
}

async function runProbe(call: ProcessCall, spawn: SpawnProcess, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal)
  const done = Promise.withResolvers<void>()
  let last = ""
  const running = await spawn(call, {
    line: (text) => {
      last = text
    },
    end: ({ exitCode }) =>
      exitCode === 0 ? done.resolve() : done.reject(new Error(last || `the command ended with exit code ${exitCode}`)),
  })
  // The signal may have aborted while it was started.
  using _stop = onAbort(signal, () => running.signal("SIGKILL"))
  await done.promise
}
