import type { LabelSelector, LabelSelectorRequirement } from "@pilothouse/api"

/** A label selector as upstream's messages print it, which people and dashboards search for: "&LabelSelector{MatchLabels:map[string]string{app: web,},…". */
export function formatLabelSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil"
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const equal = labels.map(([name, value]) => `${name}: ${value},`).join("")
  const expressions = (selector.matchExpressions ?? []).map(formatRequirement).join("")
  return `&LabelSelector{MatchLabels:map[string]string{${equal}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`
}

function formatRequirement({ key, operator, values = [] }: LabelSelectorRequirement): string {
  return `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`
}
