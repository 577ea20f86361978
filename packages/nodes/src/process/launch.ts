import { secondsInMilliseconds } from "@pilothouse/api"
import type { Container, LifecycleHandler, Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import { expand } from "./expand.ts"
import { processEnvironment } from "./process-environment.ts"
import { type AskProbeOptions, askProbe, watchProbes } from "./process-probes.ts"
import type { ProcessRun } from "./process-run.ts"
import type { HostPowers } from "./security/credentials.ts"
import { hasSecurity } from "./security/effective-context.ts"
import { decideSecurity } from "./security/security-context.ts"
import type { OutputStream, ProbeHost, ProcessCall, SpawnProcess } from "./system/spawn.ts"
import { containerVariable, ownerVariable } from "./system/system-leftovers.ts"

/** What processes are started with. */
export interface LaunchOptions {
  readonly clock: Clock
  readonly spawn: SpawnProcess
  readonly probe: ProbeHost
  /** What the host can do for a securityContext, asked for by containers that have one. Left out: nothing, and what needs something is refused. */
  readonly powers?: () => Promise<HostPowers>
  /** For ConfigMaps and Secrets that containers take their environment from. */
  readonly client: () => Client
  /** Whose the processes are: found again by it where their end was missed. */
  readonly owner?: string
  /** Aborts when nothing is to be started any more. */
  readonly closed: AbortSignal
  /** Called when something about the process is otherwise than before, and what. */
  changed(reason: string): void
}

interface Launched {
  readonly run: ProcessRun
  /** Of its container: 0, 1, 2 … */
  readonly number: number
  readonly pod: Pod
  readonly container: Container
}

/** Starts the process of a container and follows it to its end; the run says what became of it. Never rejects: that it did not start is a fact too. */
export async function launch(launched: Launched, options: LaunchOptions): Promise<void> {
  const { run, pod, container } = launched
  const { clock, spawn, closed, changed } = options
  let call: ProcessCall
  try {
    call = marked(await secured(await callOf(pod, container, options.client()), launched, options), launched, options.owner)
  } catch (error) {
    return run.fail("CreateContainerConfigError", messageOf(error))
  }
  // Reading its environment takes time: a stop of all processes does not know those that begin later.
  if (closed.aborted) return run.fail("RunContainerError", "the cluster stops")
  const listener = {
    line: (text: string) => run.print(text, clock.now()),
    output: (stream: OutputStream, bytes: Buffer) => run.pass(stream, bytes),
    end: ({ exitCode }: { readonly exitCode: number }) => {
      run.end(exitCode, clock.now())
      changed(`the process of ${container.name} has ended`)
    },
  }
  try {
    run.runs(await clock.external(spawn(call, listener), "a process starts"), call)
  } catch (error) {
    return run.fail("RunContainerError", messageOf(error))
  }
  const asking = { container, address: pod.status?.podIP ?? "127.0.0.1", call, host: options.probe, spawn }
  const hook = container.lifecycle?.preStop
  if (hook !== undefined) run.beforeStop = (signal) => preStop(hook, clock, asking, signal)
  void probe(launched, asking, options)
}

async function probe({ run, container }: Launched, asking: AskProbeOptions, { clock, changed }: LaunchOptions): Promise<void> {
  await watchProbes(container, {
    clock,
    signal: run.over.signal,
    isStopping: () => run.stopWantedAt !== undefined || run.killAt !== undefined,
    ask: (asked, signal) => askProbe(asked, asking, signal),
    report: (change) => {
      if (!run.isLive) return
      const before = run.facts
      run.is(change)
      const { started, ready, failed } = run.facts
      if (before.started !== started || before.ready !== ready || before.failed !== failed) changed("a probe says otherwise now")
    },
    complain: (text) => {
      run.complain(text)
      changed("a probe failed")
    },
  })
}

async function callOf(pod: Pod, container: Container, client: Client): Promise<ProcessCall> {
  const known = await processEnvironment(pod, container, client)
  const argv = [...(container.command ?? []), ...(container.args ?? [])].map((word) => expand(word, known))
  if (argv.length === 0)
    throw new PilothouseError("INVALID", "expected command or args, found none: the image process has no program of its own")
  const { workingDir: cwd, stdin, tty } = container
  return { argv, env: Object.fromEntries(known), cwd, ...(stdin && { stdin }), ...(tty && { tty }) }
}

/** Throws where its securityContext cannot be kept. */
async function secured(call: ProcessCall, { run, pod, container }: Launched, { clock, powers }: LaunchOptions): Promise<ProcessCall> {
  if (!hasSecurity(pod, container)) return call
  const host = powers === undefined ? {} : await clock.external(powers(), "what this host can do for a securityContext")
  const decided = decideSecurity(pod, container, host)
  if ("refused" in decided) throw new PilothouseError("INVALID", decided.refused)
  run.is({ ignored: decided.ignored })
  return { ...call, credentials: decided.credentials }
}

/** So that what it leaves behind is found: by its container when it ends, by its owner when that was killed. */
function marked(call: ProcessCall, { number, pod, container }: Launched, owner: string | undefined): ProcessCall {
  const marker = `${pod.metadata.uid}/${container.name}/${number}`
  const env = { ...call.env, ...(owner !== undefined && { [ownerVariable]: owner }), [containerVariable]: marker }
  return { ...call, env, endsCarriersOf: `${containerVariable}=${marker}` }
}

/** Does what a container is to do before SIGTERM, until its process has ended. Whether it succeeds changes nothing: the process has to stop. */
async function preStop(handler: LifecycleHandler, clock: Clock, options: AskProbeOptions, signal: AbortSignal): Promise<void> {
  await workOf(handler, clock, options, signal).catch(() => undefined)
}

function workOf(handler: LifecycleHandler, clock: Clock, options: AskProbeOptions, signal: AbortSignal): Promise<void> {
  const { sleep, exec } = handler
  if (sleep !== undefined) return clock.sleep(secondsInMilliseconds(sleep.seconds), { signal, name: "a preStop hook" })
  if (exec === undefined) return clock.external(askProbe(handler, options, signal), "a preStop hook")
  // Only its start: while virtual time waited for its end, the grace that is to cut it off would never be over.
  const spawn: SpawnProcess = (call, listener) => clock.external(options.spawn(call, listener), "a preStop hook starts")
  return askProbe(handler, { ...options, spawn }, signal)
}
