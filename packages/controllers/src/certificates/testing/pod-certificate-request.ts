import type { PodCertificateRequest } from "@pilothouse/api/certificates/v1beta1"
import { firstPemBlock } from "@pilothouse/api/x509"
import { requestPem } from "./requests.ts"

const stubPKCS10Request = Buffer.from(firstPemBlock(requestPem({}))!.bytes).toString("base64")

/** A kubelet's request for a pod's certificate, in the namespace default. */
export function podCertificateRequest(name: string, given: Partial<PodCertificateRequest> = {}): PodCertificateRequest {
  return {
    apiVersion: "certificates.k8s.io/v1beta1",
    kind: "PodCertificateRequest",
    metadata: { name, namespace: "default", ...given.metadata },
    spec: {
      signerName: "example.com/signer",
      podName: "p",
      podUID: "1",
      serviceAccountName: "s",
      serviceAccountUID: "2",
      nodeName: "n",
      nodeUID: "3",
      stubPKCS10Request,
    },
    ...(given.status && { status: given.status }),
  }
}
