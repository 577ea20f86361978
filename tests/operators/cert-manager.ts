import { X509Certificate } from "node:crypto"
import { freePorts } from "../real/free-ports.ts"
import { hasCondition, type LooseObject, type Operator } from "./operator.ts"

const version = "cert-manager.io/v1"
const namespace = "default"

/** A self-signed authority, and a certificate that it issues. */
export const certManager: Operator = {
  name: "cert-manager",
  component: "cert-manager",
  module: "github.com/cert-manager/cert-manager",
  definitions: ["deploy/crds"],
  // Its Helm chart writes other labels.
  installed: (definition) => ({ ...definition, metadata: { name: definition.metadata.name! } }),
  without: "its webhook, which only validates, and its cainjector",
  async story({ kubeconfig, start, create, find, expect }) {
    const [metrics] = await freePorts(1)
    const flags = ["--leader-elect=false", `--metrics-listen-address=127.0.0.1:${metrics}`, "--v=0"]
    start({ args: [`--kubeconfig=${kubeconfig}`, ...flags] })
    const make = (kind: string, name: string, spec: object) =>
      create({ apiVersion: version, kind, metadata: { name, namespace }, spec } as never)
    const isReady = async (kind: string, name: string) => hasCondition(await find(version, kind, `${namespace}/${name}`), "Ready")
    await make("Issuer", "self", { selfSigned: {} })
    await expect("a self-signed Issuer is Ready", () => isReady("Issuer", "self"))
    await make("Certificate", "root", { isCA: true, commonName: "root", secretName: "root", issuerRef: { name: "self" } })
    await expect("its Certificate is Ready", () => isReady("Certificate", "root"))
    await make("Issuer", "authority", { ca: { secretName: "root" } })
    await make("Certificate", "web", { dnsNames: ["web.example.com"], secretName: "web", issuerRef: { name: "authority" } })
    await expect("a Certificate of the authority is Ready", () => isReady("Certificate", "web"))
    await expect("the authority has signed it", async () => {
      const [root, web] = await Promise.all(
        ["root", "web"].map(async (name) => certificate(await find("v1", "Secret", `${namespace}/${name}`))),
      )
      return web!.subjectAltName === "DNS:web.example.com" && web!.verify(root!.publicKey)
    })
  },
}

function certificate(secret: LooseObject | undefined): X509Certificate {
  return new X509Certificate(Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64"))
}
