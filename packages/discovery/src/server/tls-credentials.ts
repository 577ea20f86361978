import { createSecureContext } from "node:tls"
import { experimental, type ServerCredentials } from "@grpc/grpc-js"
import { PilothouseError } from "@pilothouse/seams"

/** What a server shows, and whom it believes; PEM. */
export interface TlsPair {
  readonly certificate: string
  readonly key: string
  /** Whose client certificates are good. With it every client needs one; without it there are only tokens. */
  readonly clientAuthority?: string
}

type IdentityListener = experimental.IdentityCertificateUpdateListener
type AuthorityListener = experimental.CaCertificateUpdateListener

/**
 * The certificate of a server, which may change while it runs.
 *
 * Always true between calls: the pair that is in use was tried and is good, so that the library never stands without one.
 */
export class TlsCredentials implements experimental.CertificateProvider {
  readonly #identityListeners = new Set<IdentityListener>()
  readonly #authorityListeners = new Set<AuthorityListener>()
  #pair: TlsPair

  constructor(pair: TlsPair) {
    refuseBad(pair)
    this.#pair = pair
  }

  forServer(): ServerCredentials {
    const asks = this.#pair.clientAuthority !== undefined
    // The identity comes first, whatever the library calls its parameters (grpc-js 1.14.7).
    return experimental.createCertificateProviderServerCredentials(this, asks ? this : null, asks)
  }

  /** Whether clients are asked for a certificate stays as it was at the start. */
  renew(pair: TlsPair): void {
    refuseBad(pair)
    this.#pair = pair
    for (const listener of this.#authorityListeners) this.#tellAuthority(listener)
    for (const listener of this.#identityListeners) this.#tellIdentity(listener)
  }

  addCaCertificateListener(listener: AuthorityListener): void {
    this.#authorityListeners.add(listener)
    // The library listens to itself only when it has added all listeners.
    queueMicrotask(() => this.#tellAuthority(listener))
  }

  removeCaCertificateListener(listener: AuthorityListener): void {
    this.#authorityListeners.delete(listener)
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener)
    queueMicrotask(() => this.#tellIdentity(listener))
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener)
  }

  #tellAuthority(listener: AuthorityListener): void {
    const { clientAuthority } = this.#pair
    if (clientAuthority !== undefined) listener({ caCertificate: Buffer.from(clientAuthority) })
  }

  #tellIdentity(listener: IdentityListener): void {
    const { certificate, key } = this.#pair
    listener({ certificate: Buffer.from(certificate), privateKey: Buffer.from(key) })
  }
}

function refuseBad({ certificate, key, clientAuthority }: TlsPair): void {
  try {
    createSecureContext({ cert: certificate, key, ...(clientAuthority !== undefined && { ca: clientAuthority }) })
  } catch (cause) {
    throw new PilothouseError("INVALID", "expected a certificate and its own key, found ones that TLS refuses", { cause })
  }
}
