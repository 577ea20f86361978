import type { MetricSpec, MetricStatus } from "@pilothouse/api/autoscaling/v2"
import type { Pod } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import type { Tolerances } from "./normalize.ts"
import { podsMetric, resourceMetric } from "./pod-metrics.ts"
import type { ReadinessOptions } from "./replica-calculator.ts"
import type { Reading } from "./samples.ts"
import { externalMetric, objectMetric } from "./value-metrics.ts"

/** What a metric is judged by. */
export interface MetricContext extends ReadinessOptions {
  readonly namespace: string
  readonly pods: readonly Pod[]
  /** spec.replicas of the target. */
  readonly current: number
  /** status.replicas of the target. */
  readonly running: number
  readonly tolerances: Tolerances
  readonly now: number
}

export interface MetricProposal {
  readonly replicas: number
  /** How messages name the metric: "cpu resource utilization (percentage of request)". */
  readonly name: string
  readonly status: MetricStatus
}

/** Why a metric proposes nothing. */
export interface MetricFailure {
  /** "FailedGetResourceMetric": of the event and of the condition. */
  readonly reason: string
  /** What the event says. */
  readonly message: string
  /** The same with what it was wanted for, as the event about all metrics together says it. */
  readonly error: string
}

export type Proposed = MetricProposal | { readonly failure: MetricFailure }

export function isFailure(proposed: Proposed): proposed is { readonly failure: MetricFailure } {
  return "failure" in proposed
}

/** How many replicas one metric asks for. */
export function propose(spec: MetricSpec, reading: Reading, context: MetricContext): Proposed {
  switch (spec.type) {
    case "Resource":
      return attempt("FailedGetResourceMetric", `failed to get ${spec.resource?.name} resource metric value: `, () =>
        resourceMetric(spec, reading, context),
      )
    case "ContainerResource":
      return attempt(
        "FailedGetContainerResourceMetric",
        `failed to get ${spec.containerResource?.container} container metric value: `,
        () => resourceMetric(spec, reading, context),
      )
    case "Pods":
      return attempt("FailedGetPodsMetric", "failed to get pods metric value: ", () => podsMetric(spec, reading, context))
    case "Object":
      return attempt(
        "FailedGetObjectMetric",
        `failed to get object metric value: ${spec.object?.target.type === "AverageValue" ? `failed to get ${spec.object.metric.name} object metric: ` : ""}`,
        () => objectMetric(spec, reading, context),
      )
    case "External":
      return attempt("FailedGetExternalMetric", externalPrefix(spec), () => externalMetric(spec, reading, context))
    default: {
      const message = `unknown metric source type "${spec.type}"`
      return { failure: { reason: "InvalidMetricSourceType", message, error: message } }
    }
  }
}

function externalPrefix({ external }: MetricSpec): string {
  const name = external?.metric.name
  const outer = `failed to get ${name} external metric value: `
  if (external?.target.averageValue !== undefined) return `${outer}failed to get ${name} external metric: `
  return external?.target.value === undefined ? outer : `${outer}failed to get external metric ${name}: `
}

function attempt(reason: string, prefix: string, make: () => MetricProposal): Proposed {
  try {
    return make()
  } catch (error) {
    const message = messageOf(error)
    return { failure: { reason, message, error: `${prefix}${message}` } }
  }
}
