// npm run test:real -- calls: how often the real controller manager and our controllers ask the same real API server for the same things.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { createControllers } from "@pilothouse/controllers"
import { registerSimulatedNodes, scheduler, simulatedKubelets } from "@pilothouse/nodes"
import { type Client } from "@pilothouse/runtime"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { runControllers } from "../run-controllers.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group } from "../tally.ts"
import { type Audit, auditIn, type Calls } from "./audit.ts"
import { scenarios } from "./scenarios.ts"

const patience = 60_000
/** For what comes late: batches, statuses. */
const quiet = 4000
/** Until caches are full. */
const startUp = 8000
const theirs = "kube-controller-manager"
const ours = "our-controllers"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally }: SuiteContext): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-audit-"))
  try {
    const audit = auditIn(directory)
    await using plane = await startControlPlane({ apiServerFlags: audit.flags })
    const counted = new Map<string, Map<string, Calls>>()
    await tally.group("the real controller manager", async (group) => {
      const child = await plane.startControllerManager(["--leader-elect=false"])
      await using nodes = await runControllers(plane, [simulatedKubelets(), scheduler()], "nodes")
      await registerSimulatedNodes(nodes.client, 3)
      await delay(startUp)
      counted.set(theirs, await play(group, audit, nodes.client, { namespace: "first", agent: theirs }))
      await child.stop()
    })
    await tally.group("our controllers", async (group) => {
      await using nodes = await runControllers(plane, [simulatedKubelets(), scheduler()], "nodes")
      await using _controllers = await runControllers(plane, createControllers({ needs: { rootCa: plane.ca } }), ours)
      await delay(startUp)
      counted.set(ours, await play(group, audit, nodes.client, { namespace: "second", agent: ours }))
      for (const { name } of scenarios) group.note(row(name, counted.get(theirs)?.get(name), counted.get(ours)?.get(name)))
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Player {
  readonly namespace: string
  readonly agent: string
}

async function play(group: Group, audit: Audit, client: Client, { namespace, agent }: Player): Promise<Map<string, Calls>> {
  const counted = new Map<string, Calls>()
  for (const { name, act, isDone } of scenarios) {
    const mark = audit.mark()
    await act(client, namespace)
    group.case(name, (await within(() => isDone(client, namespace))) ? undefined : `not within ${patience / 1000} s`)
    await delay(quiet)
    const calls = audit.since(mark, agent)
    counted.set(name, calls)
    group.note(`${name}: ${calls.kinds.join(", ")}`)
  }
  return counted
}

async function within(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + patience
  while (performance.now() < deadline) {
    if (await condition()) return true
    await delay(100)
  }
  return false
}

/** As a line of docs/writes.md. */
function row(name: string, real: Calls | undefined, own: Calls | undefined): string {
  return `| ${name} | ${real?.writes} + ${real?.reads} | ${own?.writes} + ${own?.reads} |`
}
