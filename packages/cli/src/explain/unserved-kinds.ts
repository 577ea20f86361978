import { type Descriptor, resourceNameOf } from "@pilothouse/api"

const fairness = "flow control is stored here, and not applied: no request is held back by it"

/** Kinds that a cluster of `up` stores and no controller in it acts upon: what to know of them, by the names of their resources. */
const unserved: Readonly<Record<string, string>> = {
  "flowschemas.flowcontrol.apiserver.k8s.io": fairness,
  "ingressclasses.networking.k8s.io": "nothing serves Ingresses here, of whatever class",
  "ingresses.networking.k8s.io":
    "nothing serves Ingresses here: it gets no address, and its rules lead nowhere; a Service of type LoadBalancer is reached from this machine",
  "networkpolicies.networking.k8s.io": "nothing enforces NetworkPolicies here: every connection is let through",
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": fairness,
}

/** Returns a line about a kind without a controller; undefined of a kind that a controller acts upon, or that is nothing but data. */
export function unservedLine(of: Pick<Descriptor, "group" | "plural">): string | undefined {
  return unserved[resourceNameOf(of)]
}

/** For the test that compares the table with the kinds that there are. */
export function unservedKinds(): readonly string[] {
  return Object.keys(unserved)
}
