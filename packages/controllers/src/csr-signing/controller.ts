import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { type Controller, controller, durationFlag } from "@pilothouse/runtime"
import { requestBackoff } from "../certificates/signing-request.ts"
import { descriptor, type Signers } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"

export interface CsrSigningOptions {
  /** By the name of the signer; requests for another are left to other programs. */
  readonly signers: Signers
  /** --cluster-signing-duration, in milliseconds. */
  readonly duration?: number
}

const year = 365 * 24 * 3_600_000

/**
 * Signs the approved CertificateSigningRequests of Kubernetes' own signers: what it signs is the request's subject, names and key, for the requested
 * usages, for at most `duration`. A request that its signer does not allow gets the condition Failed, and is not tried again.
 * The names of signers without an authority are left alone.
 */
export function csrSigningController({ signers, duration = year }: CsrSigningOptions): Controller {
  return controller("certificatesigningrequest-signing-controller", {
    for: certificateSigningRequests,
    predicate: ({ type }) => type !== "deleted",
    backoff: requestBackoff,
    observe: (key, read) => read.get(certificateSigningRequests, key),
    decide: (request, { now, random }) => decide(request, { now, serialNumber: () => random.bytes(16), signers, duration }),
  })
}

export const csrSigningDescriptor = descriptor({
  name: "certificatesigningrequest-signing-controller",
  aliases: ["csrsigning"],
  flags: {
    "cluster-signing-duration": durationFlag("8760h", "the longest life of a signed certificate; a request may ask for a shorter one"),
  },
  needs: ["signers"],
  create: (set, { signers = {} }) => csrSigningController({ signers, duration: set["cluster-signing-duration"] }),
})
