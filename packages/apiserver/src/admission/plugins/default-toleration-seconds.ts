import type { Pod, Toleration } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import type { AdmissionPlugin } from "../plugin.ts"

const keys = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
const seconds = 300

/** Lets a pod tolerate a node that is not ready or unreachable for five minutes, where it has no toleration of its own. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: "DefaultTolerationSeconds",
  admit({ operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    if (group !== "" || plural !== "pods" || subresource !== "" || operation === "DELETE") return
    const { spec } = object as Draft<Pod>
    if (spec === undefined) return
    const missing = keys.filter((key) => !(spec.tolerations ?? []).some((toleration) => covers(toleration, key)))
    const added = missing.map((key): Draft<Toleration> => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: seconds }))
    if (added.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...added]
  },
}

function covers({ key = "", effect }: Toleration, wanted: string): boolean {
  return (key === wanted || key === "") && (effect === undefined || effect === "NoExecute")
}
