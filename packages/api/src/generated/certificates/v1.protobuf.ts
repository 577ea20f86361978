// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@CertificateSigningRequest metadata!meta/v1.ObjectMeta spec!CertificateSigningRequestSpec status!CertificateSigningRequestStatus
CertificateSigningRequestCondition type! reason. message. lastUpdateTime!t lastTransitionTime!t status!
@CertificateSigningRequestList metadata!meta/v1.ListMeta items+CertificateSigningRequest
CertificateSigningRequestSpec request!y username. uid. groups* usages* extra%L signerName! expirationSeconds?i
CertificateSigningRequestStatus conditions*CertificateSigningRequestCondition certificate.y
`
