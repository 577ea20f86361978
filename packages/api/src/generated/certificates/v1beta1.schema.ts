// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `certificates.k8s.io/v1beta1 io.k8s.api.certificates.v1beta1
ClusterTrustBundle: @ metadata:.ObjectMeta= spec*:ClusterTrustBundleSpec=
ClusterTrustBundleList: @ items*:]ClusterTrustBundle metadata:.ListMeta=
ClusterTrustBundleSpec: signerName:s trustBundle*:s=
PodCertificateRequest: @ metadata:.ObjectMeta= spec*:PodCertificateRequestSpec= status:PodCertificateRequestStatus=
PodCertificateRequestList: @ items*:]PodCertificateRequest metadata:.ListMeta=
PodCertificateRequestSpec: maxExpirationSeconds:i=86400 nodeName*:s= nodeUID*:s= pkixPublicKey:y podName*:s= podUID*:s= proofOfPossession:y serviceAccountName*:s= serviceAccountUID*:s= signerName*:s= stubPKCS10Request*:y unverifiedUserAnnotations:{s
PodCertificateRequestStatus: beginRefreshAt:t certificateChain:s conditions:(type).Condition&merge:type notAfter:t notBefore:t
`
