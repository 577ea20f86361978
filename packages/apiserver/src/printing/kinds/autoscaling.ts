import type { HorizontalPodAutoscaler as OldAutoscaler, Scale } from "@pilothouse/api/autoscaling/v1"
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@pilothouse/api/autoscaling/v2"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import { firstFew, none, unset } from "../columns/cells.ts"
import { ageColumn, count, integer, nameColumn, text } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

type AnyAutoscaler = OldAutoscaler | HorizontalPodAutoscaler

const horizontalPodAutoscaler = printer<AnyAutoscaler>(
  nameColumn,
  text("Reference", ({ spec }) => `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`),
  text("Targets", targets),
  text("MinPods", ({ spec }) => (spec?.minReplicas === undefined ? unset : String(spec.minReplicas))),
  count("MaxPods", ({ spec }) => spec?.maxReplicas),
  count("Replicas", ({ status }) => status?.currentReplicas),
  ageColumn,
)

/** autoscaling/v1 knows the processor only. */
function targets(autoscaler: AnyAutoscaler): string {
  if (autoscaler.apiVersion === "autoscaling/v2") return metricsText(autoscaler.spec?.metrics, autoscaler.status?.currentMetrics)
  const target = autoscaler.spec?.targetCPUUtilizationPercentage
  if (target === undefined) return metricsText([], [])
  const current = autoscaler.status?.currentCPUUtilizationPercentage
  return `cpu: ${current === undefined ? "<unknown>" : `${current}%`}/${target}%`
}

const scale = printer<Scale>(
  { ...nameColumn, format: undefined },
  integer("Desired", ({ spec }) => spec?.replicas),
  integer("Available", ({ status }) => status?.replicas),
  ageColumn,
)

const podDisruptionBudget = printer<PodDisruptionBudget>(
  nameColumn,
  text("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  text("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
  integer("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed),
  ageColumn,
)

export const autoscalingPrinters: Readonly<Record<string, Printer<never>>> = {
  "autoscaling/HorizontalPodAutoscaler": horizontalPodAutoscaler,
  "autoscaling/Scale": scale,
  "policy/PodDisruptionBudget": podDisruptionBudget,
}

const unknown = "<unknown>"

/** What an autoscaler aims at and where it is: "cpu: 30%/80%, 12/20 (avg) + 1 more..." */
function metricsText(specs: readonly MetricSpec[] = [], statuses: readonly MetricStatus[] = []): string {
  if (specs.length === 0) return none
  return firstFew(
    specs.map((spec, index) => metricText(spec, statuses[index])),
    2,
    ", ",
  )
}

const texts: Readonly<Record<string, (spec: MetricSpec, status: MetricStatus | undefined) => string>> = {
  External: ({ external }, status) => valueText(external?.target, status?.external?.current),
  Object: ({ object }, status) => valueText(object?.target, status?.object?.current),
  Pods: ({ pods }, status) => `${status?.pods?.current?.averageValue ?? unknown}/${pods?.target.averageValue ?? ""}`,
  Resource: ({ resource }, status) => resourceText(resource?.name, resource?.target, status?.resource?.current),
  ContainerResource: ({ containerResource: resource }, status) =>
    resourceText(resource?.name, resource?.target, status?.containerResource?.current),
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  return texts[spec.type]?.(spec, status) ?? "<unknown type>"
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`
  return `${current?.value ?? unknown}/${target?.value ?? ""}`
}

function resourceText(name: string | undefined, target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`
  return `${name}: ${percent(current?.averageUtilization) ?? unknown}/${percent(target?.averageUtilization) ?? "<auto>"}`
}

function percent(value: number | undefined): string | undefined {
  return value === undefined ? undefined : `${value}%`
}
