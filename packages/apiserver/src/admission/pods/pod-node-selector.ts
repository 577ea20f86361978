import { forbidden, StatusError } from "@pilothouse/api"
import { namespaces, type Pod, pods } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"

type Labels = Readonly<Record<string, string>>

const annotation = "scheduler.alpha.kubernetes.io/node-selector"

/** What a configuration says: the selector of namespaces that have none, and the labels that a namespace may select by. */
export type PodNodeSelectorConfiguration = Readonly<Record<string, string>>

/** Adds the node selector of its namespace to every pod. */
export function podNodeSelector(configuration: PodNodeSelectorConfiguration = {}): AdmissionPlugin {
  const check = (attributes: AdmissionAttributes, selector: Labels) => {
    const own = (attributes.object as Pod).spec?.nodeSelector ?? {}
    const reject = (why: string) => forbidden(pods, attributes.name, `pod node label selector ${why}`)
    if (conflict(selector, own)) throw reject("conflicts with its namespace node label selector")
    const allowed = parsed(configuration[attributes.namespace ?? ""] ?? "")
    if (Object.keys(allowed).length === 0) return
    const isAllowed = Object.entries(own).every(([key, value]) => allowed[key] === value)
    if (!isAllowed) throw reject("labels conflict with its namespace whitelist")
  }
  const selectorOf = ({ server, namespace }: AdmissionAttributes) => {
    const found = readObject(server.storage, server.registry.of(namespaces), undefined, namespace ?? "")
    return parsed(found?.metadata.annotations?.[annotation] ?? configuration.clusterDefaultNodeSelector ?? "")
  }
  return {
    name: "PodNodeSelector",
    admit(attributes) {
      const { spec } = (attributes.object ?? {}) as Draft<Pod>
      if (attributes.operation === "DELETE" || spec === undefined) return
      const selector = selectorOf(attributes)
      check(attributes, selector)
      if (Object.keys(selector).length > 0) spec.nodeSelector = { ...selector, ...spec.nodeSelector }
      check(attributes, selector)
    },
    validate(attributes) {
      if (attributes.operation !== "DELETE") check(attributes, selectorOf(attributes))
    },
  }
}

function conflict(left: Labels, right: Labels): boolean {
  return Object.entries(left).some(([key, value]) => right[key] !== undefined && right[key] !== value)
}

/** Reads "a=b,c=d". */
function parsed(selector: string): Labels {
  if (selector === "") return {}
  const pairs = selector.split(",").map((label) => {
    const parts = label.split("=")
    if (parts.length !== 2) throw unknownError(`invalid selector: [${parts.join(" ")}]`)
    return parts.map((part) => part.trim())
  })
  return Object.fromEntries(pairs)
}

/** An error that upstream has no reason for: a 500 with the bare text. */
export function unknownError(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 500, message })
}
