import { controllerOf, secondsInMilliseconds } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import { type Course, courseOf } from "./command.ts"
import { type Curve, durationIn, parseCurve, stepAt } from "./curve.ts"

/** How a simulated container behaves: from its pod's annotations, else from its command, else from what kind of pod it is in. */
export interface Behaviour extends Course {
  /** Milliseconds from its start until it is called started (its startup probe), and until it is ready. */
  readonly startedAfter: number
  readonly readyAfter: number
  /** Whether its probes would pass, over time since its start. */
  readonly ready: Curve
  readonly alive: Curve
}

/** The prefix of every annotation that describes the behaviour of a simulated pod. */
export const annotationPrefix = "pilothouse.dev/"
const always: Curve = [{ at: 0, text: "true" }]

/** `pilothouse.dev/run-time` is for every container of the pod, `pilothouse.dev/run-time.app` for the container app. */
export function annotation({ metadata }: Pod, name: string, container?: string): string | undefined {
  const of = metadata.annotations
  return (container === undefined ? undefined : of?.[`${annotationPrefix}${name}.${container}`]) ?? of?.[`${annotationPrefix}${name}`]
}

/** Returns the curve of an annotation; undefined where there is none, or it cannot be parsed. */
export function curveAnnotation(pod: Pod, name: string, container?: string): Curve | undefined {
  const text = annotation(pod, name, container)
  return text === undefined ? undefined : parseCurve(text)
}

/** Returns the behaviour of a simulated container, from its annotations and its command. */
export function behaviourOf(pod: Pod, container: Container): Behaviour {
  const { name, startupProbe, readinessProbe } = container
  const startedAfter = (startupProbe?.initialDelaySeconds ?? 0) * 1000
  const delay = durationIn(annotation(pod, "ready-delay", name))
  return {
    ...plannedCourse(pod, container),
    startedAfter,
    // The delays of both probes count from the start of the container.
    readyAfter: delay === undefined ? Math.max(startedAfter, (readinessProbe?.initialDelaySeconds ?? 0) * 1000) : startedAfter + delay,
    ready: curveAnnotation(pod, "ready", name) ?? always,
    alive: curveAnnotation(pod, "alive", name) ?? always,
  }
}

/** Milliseconds that a pod takes from its node's yes to its first container. */
export function startTimeOf(pod: Pod): number {
  return durationIn(annotation(pod, "start-time")) ?? 0
}

/** Milliseconds that its containers take to stop when they are asked to, after the longest sleep of their preStop hooks. */
export function stopTimeOf(pod: Pod): number {
  const sleeps = (pod.spec?.containers ?? []).map(({ lifecycle }) => secondsInMilliseconds(lifecycle?.preStop?.sleep?.seconds ?? 0))
  return Math.max(0, ...sleeps) + (durationIn(annotation(pod, "stop-time")) ?? 0)
}

/** Reports whether a curve of booleans is true at that moment. */
export function holds(curve: Curve, elapsed: number): boolean {
  return stepAt(curve, elapsed) !== "false"
}

function plannedCourse(pod: Pod, container: Container): Course {
  const course = courseOf(container) ?? defaultCourse(pod, container)
  const given = runTimeIn(annotation(pod, "run-time", container.name))
  const code = Number(annotation(pod, "exit-code", container.name) ?? Number.NaN)
  const exitCode = Number.isInteger(code) ? code : course.exitCode
  // A container with an exit code and no duration ends at once.
  const runTime = given ?? (Number.isInteger(code) && !Number.isFinite(course.runTime) ? 0 : course.runTime)
  return { prints: course.prints, runTime, exitCode }
}

function runTimeIn(text: string | undefined): number | undefined {
  return text === "forever" ? Number.POSITIVE_INFINITY : durationIn(text)
}

/** As KWOK has it: what a Job or an init container does is done at once, everything else is a server. */
function defaultCourse(pod: Pod, container: Container): Course {
  const isInit = pod.spec?.initContainers?.some(({ name }) => name === container.name) && container.restartPolicy !== "Always"
  const ends = isInit || controllerOf(pod)?.kind === "Job"
  return { prints: [], runTime: ends ? 0 : Number.POSITIVE_INFINITY, exitCode: 0 }
}
