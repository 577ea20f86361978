// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
BoundObjectReference kind. apiVersion. name. uid.
@SelfSubjectReview metadata!meta/v1.ObjectMeta status!SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo!UserInfo
@TokenRequest metadata!meta/v1.ObjectMeta spec!TokenRequestSpec status!TokenRequestStatus
TokenRequestSpec audiences+ boundObjectRef=3&BoundObjectReference expirationSeconds&l
TokenRequestStatus token! expirationTimestamp!t
@TokenReview metadata!meta/v1.ObjectMeta spec!TokenReviewSpec status!TokenReviewStatus
TokenReviewSpec token. audiences*
TokenReviewStatus authenticated.b user!UserInfo error. audiences*
UserInfo username. uid. groups* extra%L
`
