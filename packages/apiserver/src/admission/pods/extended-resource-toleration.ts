import { deepEqual, isExtendedResource } from "@pilothouse/api"
import type { Pod, Toleration } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import type { AdmissionPlugin } from "../plugin.ts"

/** Lets a pod that requests an extended resource on the nodes that are tainted with its name. */
export const extendedResourceToleration: AdmissionPlugin = {
  name: "ExtendedResourceToleration",
  admit({ operation, object }) {
    const { spec } = (object ?? {}) as Draft<Pod>
    if (operation === "DELETE" || spec === undefined) return
    const requested = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) =>
      Object.keys(resources?.requests ?? {}),
    )
    for (const key of [...new Set(requested.filter(isExtendedResource))].sort()) {
      spec.tolerations = withToleration(spec.tolerations ?? [], { key, operator: "Exists", effect: "NoSchedule" })
    }
  },
}

/** A toleration of the same taint is replaced, whatever seconds it has. */
function withToleration(tolerations: Draft<Toleration>[], added: Draft<Toleration>): Draft<Toleration>[] {
  const same = ({ key, effect, operator, value = "" }: Draft<Toleration>) =>
    key === added.key && effect === added.effect && operator === added.operator && value === ""
  if (tolerations.some((toleration) => same(toleration) && deepEqual(toleration, added))) return tolerations
  if (!tolerations.some(same)) return [...tolerations, added]
  return tolerations.map((toleration) => (same(toleration) ? { ...added } : toleration))
}
