"""The works that methods cite by a short tag; `docs/sources.md` lists the tags too."""

import re

WORKS = {
    "R19": "Wang, R. (2019). Regularized cross-validation methods for comparing the predictive "
    "performance "
    "of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi University.",
    "W14": "Wang, Y., Wang, R., Jia, H., Li, J. (2014). Blocked 3×2 cross-validated t-test for "
    "comparing supervised classification learning algorithms. Neural Computation 26.",
    "G13": "Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.",
    "NB": "Nadeau, C., Bengio, Y. (1999). Inference for the generalization error. CIRANO "
    "Scientific Series 99s-25.",
    "T15": "Wong, T.-T. (2015). Performance evaluation of classification algorithms by k-fold and "
    "leave-one-out cross validation. Pattern Recognition.",
    "Dietterich 1998": "Dietterich, T. G. (1998). Approximate statistical tests for comparing "
    "supervised classification learning algorithms. Neural Computation 10.",
    "Alpaydin 1999": "Alpaydin, E. (1999). Combined 5×2 cv F test for comparing supervised "
    "classification learning algorithms. Neural Computation 11.",
    "McNemar 1947": "McNemar, Q. (1947). Note on the sampling error of the difference between "
    "correlated proportions or percentages. Psychometrika 12.",
    "Corani 2015": "Corani, G., Benavoli, A. (2015). A Bayesian approach for comparing "
    "cross-validated algorithms on multiple data sets. Machine Learning 100.",
    "Bates 2023": "Bates, S., Hastie, T., Tibshirani, R. (2023). Cross-validation: what does it "
    "estimate and how well does it do it? Journal of the American Statistical Association 119.",
    "Bayle 2020": "Bayle, P., Bayle, A., Janson, L., Mackey, L. (2020). Cross-validation "
    "confidence intervals for test error. NeurIPS 33.",
    "Wang 2014": "Wang, Q., Lindsay, B. (2014). Variance estimation of a general U-statistic with "
    "application to cross-validation. Statistica Sinica 24.",
    "Yang 2023": "Yang, J., Wang, R., Song, Y., Li, J. (2023). Block-regularized 5×2 "
    "cross-validated McNemar's test for comparing two classification algorithms. arXiv 2304.03990.",
    "DeLong 1988": "DeLong, E. R., DeLong, D. M., Clarke-Pearson, D. L. (1988). Comparing the "
    "areas under two or more correlated receiver operating characteristic curves. Biometrics 44.",
    "Sun 2014": "Sun, X., Xu, W. (2014). Fast implementation of DeLong's algorithm. IEEE Signal "
    "Processing Letters 21.",
    "Cochran 1950": "Cochran, W. G. (1950). The comparison of percentages in matched samples. "
    "Biometrika 37.",
    "Efron 1983": "Efron, B. (1983). Estimating the error rate of a prediction rule: improvement "
    "on cross-validation. Journal of the American Statistical Association 78.",
    "Efron 1997": "Efron, B., Tibshirani, R. (1997). Improvements on cross-validation: the .632+ "
    "bootstrap method. Journal of the American Statistical Association 92.",
    "Efron 1987": "Efron, B. (1987). Better bootstrap confidence intervals. Journal of the "
    "American Statistical Association 82.",
    "Hartigan 1969": "Hartigan, J. A. (1969). Using subsample values as typical values. Journal of "
    "the American Statistical Association 64.",
    "Phipson 2010": "Phipson, B., Smyth, G. K. (2010). Permutation p-values should never be zero. "
    "Statistical Applications in Genetics and Molecular Biology 9.",
    "Student 1908": "Student (1908). The probable error of a mean. Biometrika 6.",
    "Welch 1947": "Welch, B. L. (1947). The generalization of Student's problem when several "
    "different population variances are involved. Biometrika 34.",
    "Tango 1998": "Tango, T. (1998). Equivalence test and confidence interval for the difference "
    "in proportions for the paired-sample design. Statistics in Medicine 17.",
    "Berger 1994": "Berger, R. L., Boos, D. D. (1994). P values maximized over a confidence set "
    "for the nuisance parameter. Journal of the American Statistical Association 89.",
    "Liang 1986": "Liang, K.-Y., Zeger, S. L. (1986). Longitudinal data analysis using generalized "
    "linear models. Biometrika 73.",
    "Bell 2002": "Bell, R. M., McCaffrey, D. F. (2002). Bias reduction in standard errors for "
    "linear regression with multi-stage samples. Survey Methodology 28.",
    "Pustejovsky 2018": "Pustejovsky, J. E., Tipton, E. (2018). Small-sample methods for "
    "cluster-robust variance estimation and hypothesis testing in fixed effects models. Journal of "
    "Business and Economic Statistics 36.",
    "Angelopoulos 2023": "Angelopoulos, A. N., Duchi, J. C., Zrnic, T. (2023). PPI++: efficient "
    "prediction-powered inference. arXiv 2311.01453.",
    "Searle 1992": "Searle, S. R., Casella, G., McCulloch, C. E. (1992). Variance Components. "
    "Wiley.",
    "Howard 2021": "Howard, S. R., Ramdas, A., McAuliffe, J., Sekhon, J. (2021). Time-uniform, "
    "nonparametric, nonasymptotic confidence sequences. Annals of Statistics 49.",
    "Diebold 1995": "Diebold, F. X., Mariano, R. S. (1995). Comparing predictive accuracy. Journal "
    "of Business and Economic Statistics 13.",
    "Coroneo 2020": "Coroneo, L., Iacone, F. (2020). Comparing predictive accuracy in small "
    "samples using fixed-smoothing asymptotics. Journal of Applied Econometrics 35.",
    "Lazarus 2018": "Lazarus, E., Lewis, D. J., Stock, J. H., Watson, M. W. (2018). HAR inference: "
    "recommendations for practice. Journal of Business and Economic Statistics 36.",
    "Harvey 1997": "Harvey, D., Leybourne, S., Newbold, P. (1997). Testing the equality of "
    "prediction mean squared errors. International Journal of Forecasting 13.",
    "Giacomini 2006": "Giacomini, R., White, H. (2006). Tests of conditional predictive ability. "
    "Econometrica 74.",
    "Hansen 2011": "Hansen, P. R., Lunde, A., Nason, J. M. (2011). The model confidence set. "
    "Econometrica 79.",
    "Choe 2024": "Choe, Y. J., Ramdas, A. (2024). Comparing sequential forecasters. Operations "
    "Research 72.",
    "Waudby-Smith 2024": "Waudby-Smith, I., Ramdas, A. (2024). Estimating means of bounded random "
    "variables by betting. Journal of the Royal Statistical Society B 86.",
}


def cited_works(source: str) -> tuple[tuple[str, str], ...]:
    """
    Return tag and full reference of every work that a source names.

    Examples
    --------
    >>> [tag for tag, _ in cited_works("Dietterich 1998; W14 section 5.2")]
    ['W14', 'Dietterich 1998']
    """
    return tuple((tag, work) for tag, work in WORKS.items() if re.search(rf"\b{tag}\b", source))
