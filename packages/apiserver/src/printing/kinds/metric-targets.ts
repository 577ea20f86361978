import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@pilothouse/api/autoscaling/v2"
import { firstFew, none } from "../columns/cells.ts"

const unknown = "<unknown>"

/** What an autoscaler aims at and where it is: "cpu: 30%/80%, 12/20 (avg) + 1 more..." */
export function metricsText(specs: readonly MetricSpec[] = [], statuses: readonly MetricStatus[] = []): string {
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
