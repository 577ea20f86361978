import type { Container, Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import { type AskProbeOptions, askProbe } from "./ask-probe.ts"
import { expand } from "./expand.ts"
import { preStop } from "./pre-stop.ts"
import { processEnvironment } from "./process-environment.ts"
import { watchProbes } from "./process-probes.ts"
import type { ProcessRun } from "./process-run.ts"
import type { ProbeHost, ProcessCall, SpawnProcess } from "./spawn.ts"
import { ownerVariable } from "./system-leftovers.ts"

export interface LaunchOptions {
  readonly clock: Clock
  readonly spawn: SpawnProcess
  readonly probe: ProbeHost
  /** For ConfigMaps and Secrets that containers take their environment from. */
  readonly client: () => Client
  /** Whose the processes are: found again by it where their end was missed. */
  readonly owner?: string
  /** Aborts when nothing is to be started any more. */
  readonly closed: AbortSignal
  /** Called when something about the process is otherwise than before, and what. */
  changed(because: string): void
}

interface Launched {
  readonly run: ProcessRun
  readonly pod: Pod
  readonly container: Container
}

/** Starts the process of a container and follows it to its end; the run says what became of it. Never rejects: that it did not start is a fact too. */
export async function launch(launched: Launched, options: LaunchOptions): Promise<void> {
  const { run, pod, container } = launched
  const { clock, spawn, client, closed, changed } = options
  let call: ProcessCall
  try {
    call = owned(await callOf(pod, container, client()), options.owner)
  } catch (error) {
    return run.fail("CreateContainerConfigError", messageOf(error))
  }
  // Its environment was asked for meanwhile: whoever ends all processes does not know of those that begin later.
  if (closed.aborted) return run.fail("RunContainerError", "the cluster stops")
  const listener = {
    line: (text: string) => run.print(text, clock.now()),
    end: ({ exitCode }: { readonly exitCode: number }) => {
      run.end(exitCode, clock.now())
      changed(`the process of ${container.name} has ended`)
    },
  }
  try {
    run.runs(await clock.external(spawn(call, listener), "a process starts"))
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
    tell: (change) => {
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
  return { argv, env: Object.fromEntries(known), cwd: container.workingDir }
}

function owned(call: ProcessCall, owner: string | undefined): ProcessCall {
  return owner === undefined ? call : { ...call, env: { ...call.env, [ownerVariable]: owner } }
}
