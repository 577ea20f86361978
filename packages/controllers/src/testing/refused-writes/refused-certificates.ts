import type { KubeObject } from "@pilothouse/api"
import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { podCertificateRequests } from "@pilothouse/api/certificates/v1beta1"
import type { Cluster } from "@pilothouse/testing"
import { signerNames } from "../../certificates/kubelet-request.ts"
import { podCertificateRequest } from "../../certificates/testing/pod-certificate-request.ts"
import { kubeletRequest, signingRequest, testAuthority } from "../../certificates/testing/requests.ts"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

const usages = ["digital signature", "client auth"]
const given = (name: string): readonly KubeObject[] => [
  signingRequest({ name, pem: kubeletRequest, usages, signerName: signerNames.kubeletClient }),
]
const statusOf = async ({ client }: Cluster, name: string) => (await client.get(certificateSigningRequests, name)).status

async function decideOn({ client }: Cluster, name: string, type: "Approved" | "Denied"): Promise<void> {
  const request = await client.get(certificateSigningRequests, name)
  const status = { conditions: [{ type, status: "True" as const }] }
  await client.update(certificateSigningRequests, { ...request, status }, { subresource: "approval" })
}

export const refusedCertificates: readonly RefusedWrite[] = [
  {
    controller: "certificatesigningrequest-approving-controller",
    cluster: { controllers: ["csrapproving"], nodes: 0 },
    write: "PUT certificatesigningrequests/approval",
    given,
    done: async (running, place) => (await statusOf(running, place))?.conditions?.length === 1,
  },
  {
    controller: "certificatesigningrequest-signing-controller",
    cluster: {
      controllers: ["csrsigning"],
      nodes: 0,
      needs: { signers: { [signerNames.kubeletClient]: () => testAuthority(Date.UTC(2100, 0, 1)) } },
    },
    write: "PUT certificatesigningrequests/status",
    given,
    change: (running, place) => decideOn(running, place, "Approved"),
    done: async (running, place) => (await statusOf(running, place))?.certificate !== undefined,
  },
  {
    controller: "certificatesigningrequest-cleaner-controller",
    cluster: { controllers: ["csrcleaner"], nodes: 0 },
    write: "DELETE certificatesigningrequests",
    given,
    change: (running, place) => decideOn(running, place, "Denied"),
    within: "61m",
    done: (running, place) => isGone(running.client.get(certificateSigningRequests, place)),
  },
  {
    controller: "podcertificaterequest-cleaner-controller",
    cluster: { controllers: ["podcertificaterequest-cleaner-controller"], enabledVersions: ["certificates.k8s.io/v1beta1"], nodes: 0 },
    write: "DELETE podcertificaterequests",
    given: (name) => [podCertificateRequest(name)],
    within: "16m",
    done: (running, place) => isGone(running.client.get(podCertificateRequests, `default/${place}`)),
  },
]
