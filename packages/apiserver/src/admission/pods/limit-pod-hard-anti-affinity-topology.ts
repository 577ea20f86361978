import { forbidden } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { AdmissionPlugin } from "../plugin.ts"

const hostname = "kubernetes.io/hostname"

/** Keeps pods from claiming more than a node for themselves by required anti-affinity. */
export const limitPodHardAntiAffinityTopology: AdmissionPlugin = {
  name: "LimitPodHardAntiAffinityTopology",
  validate({ operation, object, name }) {
    if (operation === "DELETE") return
    const terms = (object as Pod).spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    const wide = terms.find(({ topologyKey }) => topologyKey !== hostname)
    if (wide === undefined) return
    const has = `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey}`
    throw forbidden(pods, name, `${has} but only key ${hostname} is allowed`)
  },
}
