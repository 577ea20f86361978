import type { HorizontalPodAutoscaler as OldAutoscaler, Scale } from "@pilothouse/api/autoscaling/v1"
import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import { unset } from "../columns/cells.ts"
import { ageColumn, count, integer, nameColumn, text } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"
import { metricsText } from "./metric-targets.ts"

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
