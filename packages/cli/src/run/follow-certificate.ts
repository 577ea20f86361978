import type { TlsPair } from "@pilothouse/discovery"
import { CertificateRotation, type CertificateRotationOptions } from "../discovery/certificate-rotation.ts"
import { onHangUp } from "../process.ts"
import type { EndpointSeams } from "./endpoints.ts"

export interface Followed extends Pick<CertificateRotationOptions, "read" | "renew"> {
  readonly started: TlsPair
}

/** Takes over certificates that were renewed on disk, until disposed: who renews them tells nobody. SIGHUP looks at once. */
export function followCertificate(followed: Followed, seams: EndpointSeams): AsyncDisposable {
  const rotation = new CertificateRotation({ ...seams, ...followed, of: "health and metrics" })
  const hangUps = onHangUp(() => rotation.look())
  const running = rotation.start()
  return {
    async [Symbol.asyncDispose]() {
      hangUps[Symbol.dispose]()
      await running[Symbol.asyncDispose]()
    },
  }
}
