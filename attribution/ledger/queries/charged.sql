-- One provider x account x service x charge category x currency x tag set: sums of the charges that count.
SELECT ServiceProviderName, SubAccountId, SubAccountName, ServiceName, ChargeCategory, BillingCurrency, Tags,
    sum(EffectiveCost) AS EffectiveCost, sum(BilledCost) AS BilledCost
FROM main.charges
GROUP BY ALL
ORDER BY ALL
