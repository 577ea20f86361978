import { isPodActive } from "@pilothouse/api"
import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Operation, Plan, Result } from "@pilothouse/runtime"
import fc from "fast-check"
import { expect, test } from "vitest"
import { decide } from "./decide.ts"
import { isFinished } from "./finished.ts"
import type { Observed } from "./observe.ts"
import { noFailures } from "./pods/backoff.ts"
import { isTracked } from "./pods/tracking-finalizer.ts"
import { settle } from "./settle.ts"
import { at, context, job, pod } from "./testing/jobs.ts"

type Step =
  /** The controller reconciles; after so many writes the process is gone. */
  | { readonly do: "reconcile"; readonly crashAfter: number | undefined }
  | { readonly do: "end"; readonly which: number; readonly phase: "Succeeded" | "Failed" }
  /** A client deletes a pod. */
  | { readonly do: "delete"; readonly which: number }

class Crash extends Error {}

/** A server with one Job, and what really became of each pod that it ever had. */
class World {
  job: Job
  pods = new Map<string, Pod>()
  readonly fates = new Map<string, "succeeded" | "failed">()
  #made = 0

  constructor(of: Job) {
    this.job = of
  }

  get active(): readonly Pod[] {
    return [...this.pods.values()].filter(isPodActive)
  }

  reconcile(crashAfter = Number.POSITIVE_INFINITY): void {
    const observed: Observed = { orphans: [], work: { job: this.job, pods: [...this.pods.values()], claims: [], failures: noFailures } }
    let left = crashAfter
    const apply = ({ steps }: Plan): Result[] =>
      steps.flatMap(({ operations }) =>
        operations.map((operation): Result => {
          if (left-- <= 0) throw new Crash()
          return { operation, ok: true, object: this.#write(operation) }
        }),
      )
    try {
      apply(settle(observed, apply(decide(observed, context)), context))
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
  }

  end(which: number, phase: "Succeeded" | "Failed"): void {
    const found = this.active[which % this.active.length]
    if (found === undefined) return
    this.#decideFate(found, phase === "Succeeded" ? "succeeded" : "failed")
    this.pods.set(uidOf(found), { ...found, status: { ...found.status, phase } })
  }

  delete(which: number): void {
    const found = [...this.pods.values()][which % this.pods.size]
    if (found !== undefined) this.#mark(found)
  }

  #write(operation: Operation): Job | Pod | undefined {
    if (operation.do === "status") this.job = { ...this.job, status: operation.status as JobStatus }
    if (operation.do === "status") return this.job
    if (operation.do === "create") return this.#make(operation.object as Pod)
    if (operation.do === "delete") return this.#mark(operation.object as Pod)
    return operation.do === "patch" ? this.#untrack(operation.object as Pod) : undefined
  }

  #make({ metadata }: Pod): Pod {
    const made = pod({ name: `p${this.#made++}` })
    this.pods.set(uidOf(made), { ...made, metadata: { ...made.metadata, finalizers: metadata.finalizers } })
    return made
  }

  #mark(of: Pod): Pod | undefined {
    const found = this.pods.get(uidOf(of))
    if (found === undefined) return undefined
    this.#decideFate(found, "failed")
    this.#keep({ ...found, metadata: { ...found.metadata, deletionTimestamp: at(0) } })
    return found
  }

  #untrack(of: Pod): Pod | undefined {
    const found = this.pods.get(uidOf(of))
    if (found !== undefined) this.#keep({ ...found, metadata: { ...found.metadata, finalizers: undefined } })
    return found
  }

  /** A deleted pod without the tracking finalizer is gone. */
  #keep(of: Pod): void {
    if (of.metadata.deletionTimestamp !== undefined && !isTracked(of)) this.pods.delete(uidOf(of))
    else this.pods.set(uidOf(of), of)
  }

  #decideFate(of: Pod, fate: "succeeded" | "failed"): void {
    if (!this.fates.has(uidOf(of))) this.fates.set(uidOf(of), fate)
  }
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? ""
}

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("reconcile" as const), crashAfter: fc.option(fc.nat(8), { nil: undefined }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("end" as const), which: fc.nat(9), phase: fc.constantFrom("Succeeded", "Failed") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), which: fc.nat(9) }) },
)

function take(world: World, step: Step): void {
  if (step.do === "reconcile") world.reconcile(step.crashAfter)
  else if (step.do === "end") world.end(step.which, step.phase)
  else world.delete(step.which)
}

test("whatever happens to the pods and whenever the process crashes, each is counted exactly once", () => {
  fc.assert(
    fc.property(
      fc.array(anyStep, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 8 }),
      (steps, parallelism, completions) => {
        const world = new World(job({ parallelism, completions, backoffLimit: 1000 }))
        let before: JobStatus = {}
        const check = () => {
          const { status = {} } = world.job
          expect(world.active.length).toBeLessThanOrEqual(parallelism)
          expect(status.succeeded ?? 0).toBeGreaterThanOrEqual(before.succeeded ?? 0)
          expect(status.failed ?? 0).toBeGreaterThanOrEqual(before.failed ?? 0)
          before = status
        }
        for (const step of steps) {
          if (isFinished(world.job)) break
          take(world, step)
          check()
        }
        for (let round = 0; round < 50 && !isFinished(world.job); round++) {
          world.reconcile()
          check()
          for (let which = world.active.length; which > 0; which--) world.end(0, "Succeeded")
        }
        const fates = [...world.fates.values()]
        const { succeeded = 0, failed = 0, uncountedTerminatedPods } = world.job.status ?? {}
        expect({ succeeded, failed, uncountedTerminatedPods }).toEqual({
          succeeded: fates.filter((fate) => fate === "succeeded").length,
          failed: fates.filter((fate) => fate === "failed").length,
          uncountedTerminatedPods: {},
        })
      },
    ),
    { numRuns: 200 },
  )
})
