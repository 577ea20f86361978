import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { Locality } from "../../model/endpoint.ts"

/** The locality of an endpoint whose node is unknown. */
export const nowhere: Locality = { region: "", zone: "", subzone: "" }

const podLabels = ["topology.istio.io/locality", "istio-locality"] as const

/** Returns the locality by a label of the pod, else by the labels of its node. */
export function localityOf(pod: Pod | undefined, node: Node | undefined): Locality {
  const labels = pod?.metadata.labels
  const said = podLabels.map((label) => labels?.[label]).find((value) => value !== undefined && value !== "")
  return said === undefined ? nodeLocality(node) : parseLocality(said)
}

/** "region/zone/subzone". A label cannot hold slashes: dots stand for them where there is none. */
export function parseLocality(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split(text.includes("/") ? "/" : ".")
  return { region, zone, subzone }
}

/** "" where nothing is known; else with empty parts kept: "region1//". */
export function formatLocality({ region, zone, subzone }: Locality): string {
  return region === "" && zone === "" && subzone === "" ? "" : `${region}/${zone}/${subzone}`
}

function nodeLocality(node: Node | undefined): Locality {
  const labels = node?.metadata.labels
  if (labels === undefined) return nowhere
  const either = (newer: string, older: string) => labels[newer] || labels[older] || ""
  return {
    region: either("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"),
    zone: either("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"),
    subzone: labels["topology.istio.io/subzone"] ?? "",
  }
}
