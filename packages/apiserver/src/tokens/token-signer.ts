import { type Claims, Jwt } from "./jwt.ts"

/** Signs claims as this server verifies them; for the controller that fills the Secrets of service accounts. The private key (PEM) says which is its public one. */
export function tokenSigner(key: string): (claims: Claims) => string {
  const jwt = new Jwt({ key, publicKey: key })
  return (claims) => jwt.sign(claims)
}
