export {
  type AdmissionOptions,
  admissionPluginNames,
  admissionPlugins,
  defaultAdmissionPluginNames,
  unsupportedAdmissionPlugins,
} from "./admission/plugins/index.ts"
export { type PluginConfiguration, readPluginConfiguration } from "./admission/plugins/plugin-configuration.ts"
export { type ApiServer, type ApiServerOptions, createApiServer } from "./api-server.ts"
export { ensureAdminToken } from "./authentication/admin-token.ts"
export { administrator, anonymous, type Identity } from "./authentication/identity.ts"
export { readTokenFile } from "./authentication/token-file.ts"
export type { Attributes, Authorizer, Decision, PathAttributes, ResourceAttributes, Rules } from "./authorization/authorizer.ts"
export { type AuthorizationMode, authorizationModes } from "./authorization/mode-names.ts"
export { type RightReport, type RoleName, reportRight } from "./authorization/rbac/missing-right.ts"
export {
  type ConfigurationSeams,
  type ConfiguredAuthorizer,
  configuredAuthorizers,
} from "./authorization/webhook/authorization-configuration.ts"
export { apiServerName } from "./bootstrap/identity-lease.ts"
export { certificateAuthority } from "./certificates/certificate-authority.ts"
export type { CertificateOptions, Certificates } from "./certificates/certificates.ts"
export { ensureCertificates } from "./certificates/ensure-certificates.ts"
export { ensureFrontProxy, ensureServingCertificate } from "./certificates/ensure-serving-certificate.ts"
export type { FrontProxy, RequestHeaders } from "./certificates/front-proxy.ts"
export { renewCertificates, saveRenewed } from "./certificates/renew-certificates.ts"
export { renewalTime } from "./certificates/renewal-time.ts"
export { gitVersion } from "./handlers/version.ts"
export { type AuthenticationOptions, type Authenticator, authenticatedTransports, authenticator } from "./http/authenticate.ts"
export { defaultInFlight, type InFlightLimits } from "./http/request/in-flight.ts"
export type { ServingCertificates, TlsLimits } from "./http/secure-server.ts"
export { type HttpsServer, type ServeOptions, serveHttps } from "./http/serve.ts"
export { showManagedFields } from "./managedfields/show-managed-fields.ts"
export { optionalVersions } from "./registry/registry.ts"
export { hostAndPort } from "./request/host-and-port.ts"
export type { EdgeTransport, HeadDecision } from "./server/edge-transport.ts"
export type { Extension } from "./server/server.ts"
export { firstServiceAddress } from "./services/ipv4-range.ts"
export { defaultNodePorts, type PortRange } from "./services/node-port-range.ts"
export { type DiskStorageOptions, diskStorage } from "./storage/disk/open.ts"
export { memoryStorage } from "./storage/memory.ts"
export type { Change, Committed, Conflict, ListOptions, Page, Revision, Storage, Stored, Write } from "./storage/storage.ts"
export type { ServiceAccountOptions } from "./tokens/service-account-tokens.ts"
export { tokenSigner } from "./tokens/token-signer.ts"
export type { TokenWebhookOptions } from "./tokens/token-webhook.ts"
export { isIp } from "./validation/services/ip-address.ts"
