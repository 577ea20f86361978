import type { Container, Pod, PodSpec } from "@pilothouse/api/core/v1"
import { stepPod } from "../pod/pod-rules.ts"

/** Pods for the tests of this folder; nine o'clock on a Monday. */
export const nine = Date.UTC(2026, 0, 5, 9)

/** What differs from a plain pod; `says` are annotations. */
export interface PodFacts extends Partial<Omit<PodSpec, "containers">> {
  /** pilothouse.dev/…, without that. */
  readonly says?: Readonly<Record<string, string>>
  readonly containers?: readonly Partial<Container>[]
  readonly ofJob?: boolean
}

/** Returns a pod on a simulated node. */
export function simulatedPod({ says = {}, containers = [{}], ofJob, ...spec }: PodFacts = {}): Pod {
  const annotations = Object.fromEntries(Object.entries(says).map(([name, value]) => [`pilothouse.dev/${name}`, value]))
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "work", uid: "job", controller: true }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "u", generation: 1, annotations, ...(ofJob && { ownerReferences: [owner] }) },
    spec: { nodeName: "node-1", ...spec, containers: containers.map((container, at) => ({ name: "abc"[at]!, image: "i", ...container })) },
    status: { phase: "Pending" },
  }
}

/** Returns a container that runs the shell script. */
export function sh(script: string): Partial<Container> {
  return { command: ["sh", "-c", script] }
}

/** What happens to a pod over time. */
export class Life {
  pod: Pod
  /** "Normal Started", in order. */
  readonly told: string[] = []
  removed = false
  now = nine
  due: number | undefined

  constructor(pod: Pod) {
    this.pod = pod
    this.look()
  }

  look(): void {
    const step = stepPod(this.pod, { hostIP: "10.240.0.1", podIP: "10.244.1.1" }, this.now)
    const others = this.pod.status?.conditions?.filter(({ type }) => !step.status?.conditions?.some((own) => own.type === type)) ?? []
    if (step.status !== undefined)
      this.pod = { ...this.pod, status: { ...step.status, conditions: [...others, ...(step.status.conditions ?? [])] } }
    this.told.push(...step.events.map(({ type, reason }) => `${type} ${reason}`))
    this.removed ||= step.remove === true
    this.due = step.due
  }

  /** Looks whenever something is due, and at the end. */
  until(seconds: number): this {
    const end = nine + seconds * 1000
    while (this.due !== undefined && this.due <= end && !this.removed) {
      this.now = Math.max(this.due, this.now)
      this.look()
    }
    this.now = end
    this.look()
    return this
  }

  delete(grace = 30): this {
    const end = new Date(this.now + grace * 1000).toISOString().replace(".000Z", "Z")
    const metadata = { ...this.pod.metadata, deletionTimestamp: end, deletionGracePeriodSeconds: grace, generation: 2 }
    this.pod = { ...this.pod, metadata }
    this.look()
    return this
  }

  /** "Running a:running b:CrashLoopBackOff/2": the phase, and each container with its number of restarts. */
  get summary(): string {
    const { phase, initContainerStatuses = [], containerStatuses = [] } = this.pod.status ?? {}
    const states = [...initContainerStatuses, ...containerStatuses].map(({ name, state, restartCount, ready }) => {
      const word = state?.waiting?.reason ?? (state?.running ? (ready ? "ready" : "running") : `exit ${state?.terminated?.exitCode}`)
      return `${name}:${word}${restartCount > 0 ? `/${restartCount}` : ""}`
    })
    return [phase, ...states].join(" ")
  }

  condition(type: string): string {
    const found = this.pod.status?.conditions?.find((one) => one.type === type)
    return [found?.status, found?.reason, found?.message].filter(Boolean).join(" ")
  }
}
