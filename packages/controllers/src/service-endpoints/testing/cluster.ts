import type { Pod, Service } from "@pilothouse/api/core/v1"
import type { Transport, TransportRequest } from "@pilothouse/seams"
import { webPod, webService } from "./objects.ts"

/** A pod of the Service as people write it: the simulated node gives it an address and makes it ready. */
export function newPod(number: number): Pod {
  const { name, namespace, labels } = webPod(number).metadata
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: { containers: [{ name: "web", image: "example/web" }] },
  }
}

export function newService(spec: Partial<Service["spec"]> = {}, metadata: Partial<Service["metadata"]> = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", ...metadata },
    spec: { selector: { app: "web" }, ports: webService().spec?.ports, ...spec },
  }
}

/** A layer that notes the writes of one resource: "POST web". */
export function writesOf(plural: string): { readonly seen: string[]; readonly layer: (inner: Transport) => Transport } {
  const seen: string[] = []
  const note = ({ verb, path }: TransportRequest) => {
    const [, rest] = path.split(`/${plural}`)
    if (verb !== "GET" && rest !== undefined) seen.push(`${verb} ${rest.replace("/", "")}`.trim())
  }
  return {
    seen,
    layer: (inner) => (request) => {
      note(request)
      return inner(request)
    },
  }
}
