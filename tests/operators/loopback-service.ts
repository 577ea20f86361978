import type { StoryContext } from "./operator.ts"

/** A Service whose only endpoint is a port of the loopback, where a program of the story listens: needs `--exec`. */
export async function createLoopbackService(
  create: StoryContext["create"],
  { name, namespace, port }: { readonly name: string; readonly namespace: string; readonly port: number },
): Promise<void> {
  const metadata = { name, namespace }
  await create({
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { ports: [{ port: 443, protocol: "TCP", targetPort: port }] },
  } as never)
  const [endpoints, ports] = [[{ addresses: ["127.0.0.1"] }], [{ name: "", port }]]
  const slice = { addressType: "IPv4", endpoints, ports, metadata: { ...metadata, labels: { "kubernetes.io/service-name": name } } }
  await create({ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", ...slice } as never)
}
