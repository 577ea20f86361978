// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `authentication.k8s.io/v1 io.k8s.api.authentication.v1
BoundObjectReference: apiVersion:s kind:s name:s uid:s
SelfSubjectReview: @ metadata:.ObjectMeta= status:SelfSubjectReviewStatus=
SelfSubjectReviewStatus: userInfo:UserInfo=
TokenRequest: @ metadata:.ObjectMeta= spec:TokenRequestSpec= status:TokenRequestStatus=
TokenRequestSpec: audiences:[s boundObjectRef:BoundObjectReference expirationSeconds:l
TokenRequestStatus: expirationTimestamp:t token:s=
TokenReview: @ metadata:.ObjectMeta= spec*:TokenReviewSpec= status:TokenReviewStatus=
TokenReviewSpec: audiences:[s token*:s
TokenReviewStatus: audiences:[s authenticated:b error:s user:UserInfo=
UserInfo: extra:{]s groups:[s uid:s username:s
`
