import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { type CertificateRequest, DerFault, parseCertificateRequest } from "@pilothouse/api/x509"
import { type AdmissionAttributes, refusal } from "../plugin.ts"

/** Those whose certificates make their owner a node, or are trusted as a node's. */
const signersOfNodes: readonly string[] = ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"]

/** A node requests certificates of nodes in its own name alone. What else is in the request is checked by the signer. */
export function admitSigningRequest(node: string, attributes: AdmissionAttributes): void {
  if (attributes.operation !== "CREATE") return
  const { spec } = attributes.object as CertificateSigningRequest
  if (!signersOfNodes.includes(spec?.signerName)) return
  const commonName = `system:node:${node}`
  if (requestIn(attributes, spec.request).subject.commonName === commonName) return
  throw refusal(attributes, `can only create a node CSR with CN=${commonName}`)
}

function requestIn(attributes: AdmissionAttributes, request: string): CertificateRequest {
  try {
    return parseCertificateRequest(Buffer.from(request ?? "", "base64").toString("latin1"))
  } catch (error) {
    if (error instanceof DerFault) throw refusal(attributes, `unable to parse csr: ${error.message}`)
    throw error
  }
}
