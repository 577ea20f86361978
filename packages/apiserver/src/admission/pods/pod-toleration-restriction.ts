import { podQosClass } from "@pilothouse/api"
import { namespaces, type Pod, type Toleration } from "@pilothouse/api/core/v1"
import { type Draft, draftOf } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"
import { areAllowed, mergeTolerations } from "./merge-tolerations.ts"
import { unknownError } from "./pod-node-selector.ts"

const defaultsAnnotation = "scheduler.alpha.kubernetes.io/defaultTolerations"
const allowedAnnotation = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"

/** What a configuration says for namespaces that have no annotations. */
export interface PodTolerationRestrictionConfiguration {
  readonly default?: readonly Toleration[]
  readonly whitelist?: readonly Toleration[]
}

const memoryPressure: Toleration = { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" }

/** Adds the tolerations of its namespace to a new pod, and refuses those that the namespace does not allow. */
export function podTolerationRestriction(configuration: PodTolerationRestrictionConfiguration = {}): AdmissionPlugin {
  const check = (attributes: AdmissionAttributes) => {
    const tolerations = (attributes.object as Pod).spec?.tolerations ?? []
    if (tolerations.length === 0) return
    const own = annotated(attributes, allowedAnnotation)
    if (areAllowed(tolerations, own ?? configuration.whitelist ?? [])) return
    const scope = own === undefined ? "cluster" : "namespace"
    const what = "pod tolerations (possibly merged with namespace default tolerations)"
    throw unknownError(`${what} conflict with its ${scope} whitelist`)
  }
  return {
    name: "PodTolerationRestriction",
    admit(attributes) {
      const { operation, object } = attributes
      const { spec } = (object ?? {}) as Draft<Pod>
      if (operation === "DELETE" || spec === undefined) return
      const defaults = operation === "CREATE" ? (annotated(attributes, defaultsAnnotation) ?? configuration.default ?? []) : []
      const added = [...defaults, ...(podQosClass(object as Pod) === "BestEffort" ? [] : [memoryPressure])].map(draftOf)
      if (added.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], added)
      check(attributes)
    },
    validate(attributes) {
      if (attributes.operation !== "DELETE") check(attributes)
    },
  }
}

/** The tolerations in an annotation of the namespace; undefined where it has none. */
function annotated({ server, namespace }: AdmissionAttributes, key: string): readonly Toleration[] | undefined {
  const found = readObject(server.storage, server.registry.of(namespaces), undefined, namespace ?? "")
  const text = found?.metadata.annotations?.[key]
  if (text === undefined || text === "") return text === undefined ? undefined : []
  try {
    return JSON.parse(text) as readonly Toleration[]
  } catch (error) {
    throw unknownError(error instanceof Error ? error.message : String(error))
  }
}
