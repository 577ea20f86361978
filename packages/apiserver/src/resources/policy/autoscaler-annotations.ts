// What autoscaling/v1 has no fields for, it has in annotations: metrics other than CPU, their values, conditions and the behavior.
import { isZeroAmount, parseQuantity } from "@pilothouse/api"
import type { HorizontalPodAutoscaler, MetricSpec } from "@pilothouse/api/autoscaling/v2"
import { schemaOfType } from "@pilothouse/api/schemas"
import { parseJson, stringifyJson } from "@pilothouse/seams"
import { coerceToSchema } from "../../body/coerce-to-schema.ts"
import { SchemaMismatch } from "../../body/coerced-place.ts"

type Annotations = Readonly<Record<string, string>>
type Spec = NonNullable<HorizontalPodAutoscaler["spec"]>
type Status = NonNullable<HorizontalPodAutoscaler["status"]>
type JsonObject = Readonly<Record<string, unknown>>

const prefix = "autoscaling.alpha.kubernetes.io/"
const names = ["metrics", "behavior", "scale-down-tolerance", "scale-up-tolerance", "current-metrics", "conditions"] as const
const keys: ReadonlySet<string> = new Set(names.map((name) => prefix + name))

/** What annotations say; a part that cannot be read counts as none. In the form in which field ownership compares objects, null stands for none. */
export interface Annotated {
  readonly metrics?: readonly MetricSpec[] | undefined
  readonly behavior?: Spec["behavior"] | null | undefined
  readonly currentMetrics?: Status["currentMetrics"] | null | undefined
  readonly conditions?: Status["conditions"] | null | undefined
}

/** Returns the annotations of the older form. Those that it uses for itself say only what the object says. */
export function withAnnotated(annotations: Annotations | undefined, annotated: Annotated): Annotations | undefined {
  const { metrics = [], behavior } = annotated
  const [currentMetrics, conditions] = [annotated.currentMetrics ?? [], annotated.conditions ?? []]
  const added = {
    ...(metrics.length > 0 && { [`${prefix}metrics`]: goJson(metrics.map((metric) => oldMetric(metric, oldSource))) }),
    ...(currentMetrics.length > 0 && { [`${prefix}current-metrics`]: goJson(currentMetrics.map((metric) => oldMetric(metric, oldValue))) }),
    ...(behavior !== undefined && behavior !== null && { [`${prefix}behavior`]: goJson(internalBehavior(behavior)) }),
    ...(conditions.length > 0 && { [`${prefix}conditions`]: goJson(conditions) }),
  }
  const rest = withoutAnnotated(annotations)
  return Object.keys(added).length === 0 ? rest : { ...rest, ...added }
}

/** Returns the annotations that are the user's own; undefined where there are none. */
export function withoutAnnotated(annotations: Annotations | undefined): Annotations | undefined {
  if (annotations === undefined || !Object.keys(annotations).some((key) => keys.has(key))) return annotations
  const rest = Object.entries(annotations).filter(([key]) => !keys.has(key))
  return rest.length === 0 ? undefined : Object.fromEntries(rest)
}

/** Reads what the older form says in annotations. */
export function annotatedIn(annotations: Annotations = {}): Annotated {
  const value = (name: (typeof names)[number]) => parsed(annotations[prefix + name])
  return {
    metrics: typedList(value("metrics"), "MetricSpec", (metric) => newMetric(metric, newSource)),
    behavior: behaviorOf(value("behavior")),
    currentMetrics: typedList(value("current-metrics"), "MetricStatus", (metric) => newMetric(metric, newValue)),
    conditions: typedList(value("conditions"), "HorizontalPodAutoscalerCondition", (condition) => condition),
  }
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return parseJson(text)
  } catch {
    // The annotation is not JSON: it says nothing.
    return undefined
  }
}

function typedList<T>(value: unknown, type: string, convert: (item: JsonObject) => unknown): readonly T[] | undefined {
  if (!Array.isArray(value)) return undefined
  // Go reads null as an empty item, which is refused later.
  const items = value.map((item) => (isObject(item ?? {}) ? typed<T>(convert((item ?? {}) as JsonObject), type) : undefined))
  return items.some((item) => item === undefined) ? undefined : (items as T[])
}

/** Undefined for a value that does not have the type. */
function typed<T>(value: unknown, type: string): T | undefined {
  const schema = schemaOfType(`io.k8s.api.autoscaling.v2.${type}`)
  if (!isObject(value) || schema === undefined) return undefined
  try {
    return coerceToSchema(value, schema, { unknownFields: [] }) as T
  } catch (error) {
    if (error instanceof SchemaMismatch) return undefined
    throw error
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** As Go's encoder writes it. Only texts have these characters. */
function goJson(value: unknown): string {
  return stringifyJson(value).replaceAll(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

/** The kinds of metrics, in the order of Go's fields. */
const sources = ["object", "pods", "resource", "containerResource", "external"] as const
type Source = (typeof sources)[number]
type Convert = (source: Source, value: JsonObject) => JsonObject

function oldMetric(metric: { readonly type: string }, convert: Convert): JsonObject {
  return newMetric(metric as { readonly type: string } & JsonObject, convert)
}

/** A metric with its one source converted. */
function newMetric(metric: JsonObject, convert: Convert): JsonObject {
  const found = sources.flatMap((source) => {
    const value = metric[source]
    return isObject(value) ? [[source, convert(source, said(value))] as const] : []
  })
  return { type: metric["type"], ...Object.fromEntries(found) }
}

function part(value: JsonObject, name: string): JsonObject {
  const found = value[name]
  return isObject(found) ? found : {}
}

function oldSource(source: Source, value: JsonObject): JsonObject {
  const [metric, target] = [part(value, "metric"), part(value, "target")]
  switch (source) {
    case "object":
      return said({
        target: reference(part(value, "describedObject")),
        metricName: metric["name"],
        targetValue: target["value"] ?? "0",
        selector: metric["selector"],
        averageValue: target["averageValue"],
      })
    case "pods":
      return said({ metricName: metric["name"], targetAverageValue: target["averageValue"] ?? "0", selector: metric["selector"] })
    case "external":
      return said({
        metricName: metric["name"],
        metricSelector: metric["selector"],
        targetValue: target["value"],
        targetAverageValue: target["averageValue"],
      })
    default:
      return said({
        name: value["name"],
        targetAverageUtilization: target["averageUtilization"],
        targetAverageValue: target["averageValue"],
        container: value["container"],
      })
  }
}

function newSource(source: Source, value: JsonObject): JsonObject {
  switch (source) {
    case "object": {
      const { averageValue, targetValue = "0" } = value
      const target = averageValue === undefined ? { type: "Value", value: targetValue } : { type: "AverageValue", averageValue }
      // The older form always writes a value, which a target for the average does not have.
      const kept = averageValue === undefined || isZero(targetValue) ? target : { ...target, value: targetValue }
      return { describedObject: value["target"], metric: identifier(value), target: kept }
    }
    case "pods":
      return { metric: identifier(value), target: { type: "AverageValue", averageValue: value["targetAverageValue"] ?? "0" } }
    case "external": {
      const { targetValue, targetAverageValue } = value
      const target = { type: targetValue === undefined ? "AverageValue" : "Value", value: targetValue, averageValue: targetAverageValue }
      return { metric: { name: value["metricName"], selector: value["metricSelector"] }, target: said(target) }
    }
    default: {
      const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = value
      const type = averageUtilization === undefined ? "AverageValue" : "Utilization"
      return said({ name: value["name"], container: value["container"], target: said({ type, averageValue, averageUtilization }) })
    }
  }
}

function oldValue(source: Source, value: JsonObject): JsonObject {
  const [metric, current] = [part(value, "metric"), part(value, "current")]
  switch (source) {
    case "object":
      return said({
        target: reference(part(value, "describedObject")),
        metricName: metric["name"],
        currentValue: current["value"] ?? "0",
        selector: metric["selector"],
        averageValue: current["averageValue"],
      })
    case "pods":
      return said({ metricName: metric["name"], currentAverageValue: current["averageValue"] ?? "0", selector: metric["selector"] })
    case "external":
      return said({
        metricName: metric["name"],
        metricSelector: metric["selector"],
        currentValue: current["value"] ?? "0",
        currentAverageValue: current["averageValue"],
      })
    default:
      return said({
        name: value["name"],
        currentAverageUtilization: current["averageUtilization"],
        currentAverageValue: current["averageValue"] ?? "0",
        container: value["container"],
      })
  }
}

function newValue(source: Source, value: JsonObject): JsonObject {
  const { currentValue = "0", currentAverageValue = "0" } = value
  switch (source) {
    case "object":
      return {
        describedObject: value["target"],
        metric: identifier(value),
        current: said({ value: currentValue, averageValue: value["averageValue"] }),
      }
    case "pods":
      return { metric: identifier(value), current: { averageValue: currentAverageValue } }
    case "external":
      return {
        metric: { name: value["metricName"], selector: value["metricSelector"] },
        current: said({ value: currentValue, averageValue: value["currentAverageValue"] }),
      }
    default: {
      const current = { averageValue: currentAverageValue, averageUtilization: value["currentAverageUtilization"] }
      return said({ name: value["name"], container: value["container"], current: said(current) })
    }
  }
}

function identifier({ metricName, selector }: JsonObject): JsonObject {
  return said({ name: metricName, selector })
}

function reference({ kind = "", name = "", apiVersion }: JsonObject): JsonObject {
  return said({ kind, name, apiVersion })
}

/** Without what is not said. */
function said(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null))
}

function isZero(quantity: unknown): boolean {
  try {
    return isZeroAmount(parseQuantity(String(quantity)))
  } catch {
    // What is no quantity is refused by the type of the field.
    return false
  }
}

/** The annotation has the names of Go's own fields. */
function internalBehavior({ scaleUp, scaleDown }: NonNullable<Spec["behavior"]>): JsonObject {
  const rules = (of: typeof scaleUp | null) =>
    of === undefined || of === null
      ? null
      : {
          StabilizationWindowSeconds: of.stabilizationWindowSeconds ?? null,
          SelectPolicy: of.selectPolicy ?? null,
          Policies:
            of.policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ?? null,
          Tolerance: of.tolerance ?? null,
        }
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) }
}

/** The other way round: the first letter of a name may be of either case. A behavior that says nothing is none. */
function behaviorOf(value: unknown): Spec["behavior"] {
  const behavior = typed<NonNullable<Spec["behavior"]>>(withFieldNames(value), "HorizontalPodAutoscalerBehavior")
  return behavior?.scaleUp === undefined && behavior?.scaleDown === undefined ? undefined : behavior
}

function withFieldNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFieldNames)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [`${name[0]?.toLowerCase() ?? ""}${name.slice(1)}`, withFieldNames(inner)]),
  )
}
