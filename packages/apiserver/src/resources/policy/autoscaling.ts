import { type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { HorizontalPodAutoscaler as V1 } from "@pilothouse/api/autoscaling/v1"
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
} from "@pilothouse/api/autoscaling/v2"
import { type Draft, draftOf } from "../../body/draft.ts"
import { copyManagedFields } from "../../managedfields/object-managed-fields.ts"
import { oneOf } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"
import { type Annotated, annotatedIn, withAnnotated, withoutAnnotated } from "./autoscaler-annotations.ts"

/** Percent of the requested CPU. */
const defaultUtilization = 80
const prefix = "/registry/horizontalpodautoscalers.autoscaling/"

export const horizontalPodAutoscaler: ResourceStrategy<HorizontalPodAutoscaler> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.minReplicas ??= 1
    if ((spec.metrics ?? []).length === 0) spec.metrics = [draftOf(cpuMetric(defaultUtilization))]
    if (spec.behavior !== undefined) defaultBehavior(spec.behavior)
  },
  prepareForCreate(object) {
    object.status = { desiredReplicas: 0 }
  },
  validate: ({ spec }) => boundErrors(spec),
  storedAs: { prefix, encode: (object) => object, decode: (stored) => stored as HorizontalPodAutoscaler },
}

/** The older form knows CPU alone; what else the object says is kept while it is read and written that way. */
export function horizontalPodAutoscalerV1(): ResourceStrategy<V1> {
  const decoded = new WeakMap<KubeObject, V1>()
  /** A write of the object leaves its status as it is stored, whatever the annotations of its body say. */
  const stored = new WeakMap<object, HorizontalPodAutoscaler["status"]>()
  return {
    defaults({ metadata, spec }) {
      if (spec === undefined) return
      spec.minReplicas ??= 1
      // Said by the conversion: an object of no metrics at all is one of CPU.
      if ((annotatedIn(metadata.annotations).metrics ?? []).length === 0) spec.targetCPUUtilizationPercentage ??= defaultUtilization
    },
    validate: ({ metadata, spec }) => boundErrors(spec && { ...spec, metrics: annotatedIn(metadata.annotations).metrics ?? [] }),
    storedAs: {
      prefix,
      encode(object) {
        const status = object.status && stored.get(object.status)
        const encoded = toV2(object)
        return status === undefined ? encoded : { ...encoded, status }
      },
      decode(value) {
        const known = decoded.get(value)
        if (known !== undefined) return known
        const object = value as HorizontalPodAutoscaler
        const made = Object.freeze(copyManagedFields(value, fromV2(object)))
        if (made.status !== undefined) stored.set(made.status, object.status)
        decoded.set(value, made)
        return made
      },
    },
  }
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } }
}

function isCpu(metric: MetricSpec): boolean {
  return metric.type === "Resource" && metric.resource?.name === "cpu" && metric.resource.target.averageUtilization !== undefined
}

function fromV2({ metadata, spec, status, ...rest }: HorizontalPodAutoscaler): V1 {
  const metrics = spec?.metrics ?? []
  const cpu = metrics.find(isCpu)?.resource?.target.averageUtilization
  const { currentMetrics, conditions } = status ?? {}
  const { annotations: given, ...meta } = metadata
  const others = metrics.filter((metric) => !isCpu(metric))
  const annotations = withAnnotated(given, { metrics: others, behavior: spec?.behavior, currentMetrics, conditions })
  return {
    ...rest,
    apiVersion: "autoscaling/v1",
    metadata: { ...meta, ...(annotations && { annotations }) },
    spec: spec && {
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }),
    },
    status: status && statusFromV2(status),
  }
}

function statusFromV2(status: NonNullable<HorizontalPodAutoscaler["status"]>): NonNullable<V1["status"]> {
  const { currentReplicas = 0, desiredReplicas, lastScaleTime, observedGeneration, currentMetrics } = status
  const current = currentMetrics?.findLast(isCurrentCpu)?.resource?.current.averageUtilization
  return {
    currentReplicas,
    desiredReplicas,
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
  }
}

function isCurrentCpu({ type, resource }: MetricStatus): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.current.averageUtilization !== undefined
}

function toV2({ metadata, spec, status, ...rest }: V1): HorizontalPodAutoscaler {
  const { annotations: given, ...meta } = metadata
  const annotated = annotatedIn(given)
  const annotations = withoutAnnotated(given)
  const cpu = spec?.targetCPUUtilizationPercentage
  const { metrics: kept = [], behavior } = annotated
  const metrics = cpu === undefined ? kept : [...kept, cpuMetric(cpu)]
  return {
    ...rest,
    apiVersion: "autoscaling/v2",
    metadata: { ...meta, ...(annotations && { annotations }) },
    spec: spec && {
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      metrics: metrics.length === 0 ? [cpuMetric(defaultUtilization)] : metrics,
      ...(behavior && { behavior }),
    },
    status: statusToV2(status ?? {}, annotated),
  }
}

function statusToV2(status: Partial<NonNullable<V1["status"]>>, { currentMetrics, conditions }: Annotated) {
  const { currentReplicas = 0, desiredReplicas = 0, lastScaleTime, observedGeneration, currentCPUUtilizationPercentage } = status
  const current = currentMetrics ?? (currentCPUUtilizationPercentage === undefined ? [] : [currentCpu(currentCPUUtilizationPercentage)])
  return {
    ...(currentReplicas !== 0 && { currentReplicas }),
    desiredReplicas,
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(current.length > 0 && { currentMetrics: current }),
    ...(conditions && conditions.length > 0 && { conditions }),
  }
}

function currentCpu(averageUtilization: number): MetricStatus {
  return { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } }
}

interface Bounds {
  readonly minReplicas?: number
  readonly maxReplicas?: number
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string; readonly apiVersion?: string }
  readonly metrics?: readonly { readonly type?: string }[]
}

function boundErrors(spec: Bounds | undefined): readonly FieldError[] {
  const { minReplicas = 1, maxReplicas = 0, scaleTargetRef } = spec ?? {}
  const errors: FieldError[] = []
  if (minReplicas < 1) errors.push(fieldError.invalid("spec.minReplicas", minReplicas, "must be greater than or equal to 1"))
  if (maxReplicas < 1) errors.push(fieldError.required("spec.maxReplicas", "must be set and greater than 0"))
  if (maxReplicas < minReplicas) {
    errors.push(fieldError.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`"))
  }
  return [...errors, ...targetErrors(scaleTargetRef), ...metricErrors(spec)]
}

function targetErrors({ kind = "", name = "", apiVersion = "" }: NonNullable<Bounds["scaleTargetRef"]> = {}): readonly FieldError[] {
  const field = "spec.scaleTargetRef"
  return [
    ...(kind === "" ? [fieldError.required(`${field}.kind`)] : []),
    ...(name === "" ? [fieldError.required(`${field}.name`)] : []),
    ...(apiVersion === "" ? [fieldError.invalid(`${field}.apiVersion`, "", "apiVersion must specify API group")] : []),
  ]
}

const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"]

function metricErrors(spec: Bounds | undefined): readonly FieldError[] {
  return (spec?.metrics ?? []).flatMap(({ type }, index) => oneOf(type, metricTypes, `spec.metrics[${index}].type`))
}

/** Up at once: the more of four pods and twice as many, every fifteen seconds. */
const up: Draft<HPAScalingRules> = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
}
/** Down as far as need be; how long to wait before is the controller's to say. */
const down: Draft<HPAScalingRules> = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] }

/** Defaults the rules of both directions once a behavior is set. */
function defaultBehavior(behavior: Draft<HorizontalPodAutoscalerBehavior>): void {
  behavior.scaleUp = filled(behavior.scaleUp, up)
  behavior.scaleDown = filled(behavior.scaleDown, down)
}

function filled(given: Draft<HPAScalingRules> | undefined, usual: Draft<HPAScalingRules>): Draft<HPAScalingRules> {
  const policies = given?.policies ?? (usual.policies ?? []).map((policy) => ({ ...policy }))
  return { ...usual, ...given, policies }
}
