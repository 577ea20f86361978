// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `certificates.k8s.io/v1 io.k8s.api.certificates.v1
CertificateSigningRequest: @ metadata:.ObjectMeta= spec*:CertificateSigningRequestSpec= status:CertificateSigningRequestStatus=
CertificateSigningRequestCondition: lastTransitionTime:t lastUpdateTime:t message:s reason:s status*:s= type*:s=
CertificateSigningRequestList: @ items*:]CertificateSigningRequest metadata:.ListMeta=
CertificateSigningRequestSpec: expirationSeconds:i extra:{]s groups:[s request*:y signerName*:s= uid:s usages:[s<any|cert_sign|client_auth|code_signing|content_commitment|crl_sign|data_encipherment|decipher_only|digital_signature|email_protection|encipher_only|ipsec_end_system|ipsec_tunnel|ipsec_user|key_agreement|key_encipherment|microsoft_sgc|netscape_sgc|ocsp_signing|s/mime|server_auth|signing|timestamping> username:s
CertificateSigningRequestStatus: certificate:y conditions:(type)CertificateSigningRequestCondition
`
